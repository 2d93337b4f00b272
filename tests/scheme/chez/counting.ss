;;; Runs a program that is rewritten to count, for tests/scenarios/chez.py: scheme --script counting.ss PROGRAM COUNTS
;; writes a line for each entered procedure ("- LINE COLUMN TIMES") and for each arc ("LINE COLUMN LINE COLUMN TIMES").
;; A procedure's caller is the one that is active when it is entered. It is active until it returns or is left, also
;; while procedures run that it called last; and again when it is entered again.
(define file (cadr (command-line)))
(define counts (make-hashtable equal-hash equal?))
(define active '(0 0))  ; line and column; top level: 0 0
(define (enter me body)
  (define caller active)
  (hashtable-update! counts me (lambda (n) (+ n 1)) 0)
  (hashtable-update! counts (append caller me) (lambda (n) (+ n 1)) 0)
  (dynamic-wind (lambda () (set! active me)) body (lambda () (set! active caller))))

(define (annotations)
  (let* ([bytes (open-file-input-port file)] [sfd (make-source-file-descriptor file bytes #t)]
         [port (transcoded-port bytes (native-transcoder))])
    (let loop ([at 0])
      (let-values ([(form end) (get-datum/annotations port sfd at)])
        (if (eof-object? form) '() (cons form (loop end)))))))
(define (plain x) (if (annotation? x) (annotation-stripped x) x))
(define (inside x) (if (annotation? x) (annotation-expression x) x))
(define (place x)
  (let-values ([(path line column) (locate-source (source-object-sfd (annotation-source x)) (source-object-bfp (annotation-source x)))])
    (list line column)))
(define (counted at arguments body) `(lambda ,(plain arguments) ,(entered at body)))
(define (entered at body) `(enter ',(place at) (lambda () ,@(map rewrite body))))
(define (rewrite x)
  (let ([form (inside x)])
    (if (not (pair? form))
        (plain x)
        (let ([parts (let loop ([l form]) (if (pair? l) (cons (car l) (loop (inside (cdr l)))) '()))])
          (case (plain (car parts))
            [(quote) (plain x)]
            [(lambda) (counted x (cadr parts) (cddr parts))]
            [(case-lambda)
             `(case-lambda ,@(map (lambda (clause) (list (plain (car (inside clause))) (entered x (cdr (inside clause))))) (cdr parts)))]
            [(define)
             (let ([name (inside (cadr parts))])
               (if (pair? name)
                   `(define ,(plain (car name)) ,(counted x (cdr name) (cddr parts)))
                   `(define ,name ,@(map rewrite (cddr parts)))))]
            [(let)
             (if (symbol? (plain (cadr parts)))
                 (let ([name (plain (cadr parts))] [bindings (map inside (inside (caddr parts)))])
                   `((letrec ([,name ,(counted x (map plain (map car bindings)) (cdddr parts))]) ,name)
                     ,@(map rewrite (map cadr bindings))))
                 (map rewrite parts))]
            [else (map rewrite parts)])))))
(define programs (map rewrite (annotations)))
(for-each eval programs)
(call-with-output-file (caddr (command-line))
  (lambda (port)
    (vector-for-each
     (lambda (key)
       (fprintf port "~a~{~a ~}~a\n" (if (= (length key) 2) "- " "") key (hashtable-ref counts key 0)))
     (hashtable-keys counts)))
  'replace)
