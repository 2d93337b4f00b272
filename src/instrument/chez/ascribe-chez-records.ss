;;; The expander's output: records of Chez's intermediate language Lsrc, which are read and rebuilt by
;;; reflection.  What they look like is learnt from small expressions when the program begins.

(define (all-fields rtd)
  (if rtd (append (all-fields (record-type-parent rtd)) (vector->list (record-type-field-names rtd))) '()))

(define-record-type shape (fields rtd names accessors make) (nongenerative) (sealed #t))
(define shapes (make-eq-hashtable))     ; by record type descriptor

(define (field-accessors rtd)
  (if rtd
      (append (field-accessors (record-type-parent rtd))
              (let ([n (vector-length (record-type-field-names rtd))])
                (let next ([i 0]) (if (fx= i n) '() (cons (record-accessor rtd i) (next (fx+ i 1)))))))
      '()))

(define (shape-of r)
  (let ([rtd (record-rtd r)])
    (or (hashtable-ref shapes rtd #f)
        (let ([made (make-shape rtd (all-fields rtd) (field-accessors rtd)
                                (record-constructor (make-record-constructor-descriptor rtd #f #f)))])
          (hashtable-set! shapes rtd made)
          made))))

(define (rtd-of r) (and (record? r) (record-rtd r)))

(define (get r name)
  (let ([shape (shape-of r)])
    (let next ([names (shape-names shape)] [accessors (shape-accessors shape)])
      (if (eq? (car names) name) ((car accessors) r) (next (cdr names) (cdr accessors))))))

(define (has? r name) (and (memq name (shape-names (shape-of r))) #t))

;; A copy with other values in some fields: name value ...
(define (with r . changes)
  (let ([shape (shape-of r)])
    (apply (shape-make shape)
           (map (lambda (name accessor)
                  (let next ([rest changes])
                    (cond [(null? rest) (accessor r)]
                          [(eq? (car rest) name) (cadr rest)]
                          [else (next (cddr rest))])))
                (shape-names shape) (shape-accessors shape)))))

(define environment (interaction-environment))
(define plain-expand (current-expand))
(define (expanded x) (sc-expand x (scheme-environment) #t))

(define template-profile #f)
(define template-seq #f)
(define template-quote #f)
(define template-let #f)                ; (let ([x (car 1)]) (cons x x))
(define template-if #f)
(define template-call #f)               ; (car 1)
(define template-lambda #f)             ; of one argument
(define template-letrec #f)
(define template-variable #f)           ; is referenced several times, and keeps its value
(define template-ref #f)
(define assigned-flag #f)               ; in a variable's flags
(define rtd-seq #f) (define rtd-if #f) (define rtd-lambda #f) (define rtd-clause #f) (define rtd-call #f)
(define rtd-quote #f) (define rtd-ref #f) (define rtd-set! #f) (define rtd-letrec #f) (define rtd-letrec* #f)
(define rtd-primref #f) (define rtd-profile #f) (define rtd-prelex #f)
(define lsrc-rtd #f)                    ; the parent of all expressions

(define (has-fields? r . names) (and (record? r) (andmap (lambda (name) (has? r name)) names)))

;; Whether the records are the ones that we know.
(define (records-known?)
  (guard (e [#t #f])
    (let* ([source (make-source-object own-sfd 0 0)]
           [profiled (parameterize ([compile-profile 'source])
                       (sc-expand (make-annotation '(car 1) source '(car 1)) (scheme-environment) #t))]
           [if-form (expanded '(lambda (x) (if x 1 2)))]
           [let-form (expanded '(let ([x (car 1)]) (cons x x)))]
           [set-form (expanded '(lambda (x) (set! x 1)))]
           [letrec-form (expanded '(letrec ([f (lambda () (f))]) (f)))]
           [letrec*-form (expanded '(letrec* ([f (lambda () (f))] [x (f)]) x))]
           [call (expanded '(car 1))])
      (define (body-of lambda-form) (get (car (get lambda-form 'cl)) 'body))
      (define (flags-of lambda-form) (get (car (get (car (get lambda-form 'cl)) 'x*)) 'flags))
      (and (has-fields? profiled 'e0 'e1)
           (has-fields? (get profiled 'e0) 'src)
           (eq? (get (get profiled 'e0) 'src) source)
           (has-fields? if-form 'preinfo 'cl)
           (has-fields? (get if-form 'preinfo) 'src 'name)
           (has-fields? (car (get if-form 'cl)) 'x* 'interface 'body)
           (has-fields? (body-of if-form) 'e0 'e1 'e2)
           (has-fields? (get (body-of if-form) 'e0) 'x)
           (has-fields? (get (get (body-of if-form) 'e0) 'x) 'name 'flags)
           (has-fields? (body-of set-form) 'x 'e)
           (has-fields? letrec-form 'x* 'e* 'body)
           (has-fields? letrec*-form 'x* 'e* 'body)
           (has-fields? call 'preinfo 'e0 'e1)
           (has-fields? (get call 'preinfo) 'src)
           (has-fields? (get call 'e0) 'name 'flags)
           (has-fields? (car (get call 'e1)) 'd)
           (eq? (rtd-of (get let-form 'e0)) (rtd-of if-form))
           (begin
             (set! template-seq profiled)
             (set! template-profile (get profiled 'e0))
             (set! template-quote (car (get call 'e1)))
             (set! template-let let-form)
             (set! template-if (body-of if-form))
             (set! template-call call)
             (set! template-lambda if-form)
             (set! template-letrec letrec-form)
             (set! template-ref (car (get (body-of (get let-form 'e0)) 'e1)))
             (set! template-variable (get template-ref 'x))
             (set! assigned-flag (fxlogand (flags-of set-form) (fxlognot (flags-of (get let-form 'e0)))))
             (set! rtd-seq (record-rtd profiled))
             (set! rtd-profile (record-rtd template-profile))
             (set! rtd-lambda (record-rtd if-form))
             (set! rtd-clause (record-rtd (car (get if-form 'cl))))
             (set! rtd-if (record-rtd (body-of if-form)))
             (set! rtd-ref (record-rtd (get (body-of if-form) 'e0)))
             (set! rtd-prelex (record-rtd (get (get (body-of if-form) 'e0) 'x)))
             (set! rtd-set! (record-rtd (body-of set-form)))
             (set! rtd-letrec (record-rtd letrec-form))
             (set! rtd-letrec* (record-rtd letrec*-form))
             (set! rtd-call (record-rtd call))
             (set! rtd-primref (record-rtd (get call 'e0)))
             (set! rtd-quote (record-rtd template-quote))
             (set! lsrc-rtd (record-type-parent rtd-seq))
             (and lsrc-rtd (record? call lsrc-rtd) (record? (get call 'e0) rtd-primref)))))))

(define (is? r rtd) (eq? (rtd-of r) rtd))
(define (expression? r) (and (record? r) (or (record? r lsrc-rtd) (is? r rtd-primref))))

;; What a record is, by its type's name: "cte-optimization-loc" of Lsrc:cte-optimization-loc:Expr.36.
(define (named-so? r name)
  (and (record? r)
       (let* ([text (symbol->string (record-type-name (record-rtd r)))] [size (string-length name)]
              [most (fx- (string-length text) size)])
         (let find ([i 0])
           (and (fx<= i most) (or (string=? (substring text i (fx+ i size)) name) (find (fx+ i 1))))))))

(define (assigned? variable) (not (eqv? (fxlogand (get variable 'flags) assigned-flag) 0)))

(define (new-variable name) (with template-variable 'name name))
(define (reference-to variable) (with template-ref 'x variable))

(define (quoted datum) (with template-quote 'd datum))
(define (in-order first second) (with template-seq 'e0 first 'e1 second))
(define (counting index rest) (in-order (with template-profile 'src (own-source index)) rest))

;; (let ([x value]) (body-of x)), where a fresh variable is referenced any number of times.  Chez 10 moves a `let`
;; out of an argument and leaves what counts the argument behind (cp0's can-lift?): what stands before it there
;; keeps it in its place, and is no code.
(define stay (let-values ([(major minor patch) (scheme-version-number)])
               (and (>= major 10) (expanded '(#3%keep-live 0)))))
(define (let-variable value body-of)
  (let* ([procedure (get template-let 'e0)] [clause (car (get procedure 'cl))] [new (with template-variable)]
         [made (with template-let
                     'e0 (with procedure 'cl (list (with clause 'x* (list new) 'body (body-of (reference-to new)))))
                     'e1 (list value))])
    (if stay (in-order stay made) made)))

;; A copy of expanded code with variables of its own, in which a quoted key stands for an expression.
(define (copied r keys)
  (let ([variables '()])
    (let copy ([r r])
      (cond [(pair? r) (cons (copy (car r)) (copy (cdr r)))]
            [(is? r rtd-prelex)
             (let ([known (assq r variables)])
               (if known
                   (cdr known)
                   (let ([new (with r)]) (set! variables (cons (cons r new) variables)) new)))]
            [(is? r rtd-quote)
             (let ([known (and (symbol? (get r 'd)) (assq (get r 'd) keys))])
               (if known (cdr known) r))]
            [(is? r rtd-primref) r]
            [(or (is? r rtd-clause) (and (record? r) (record? r lsrc-rtd)))
             (apply (shape-make (shape-of r))
                    (map (lambda (accessor) (copy (accessor r))) (shape-accessors (shape-of r))))]
            [else r]))))

(define (without-counts r)              ; what a profile form stands before
  (if (and (is? r rtd-seq) (is? (get r 'e0) rtd-profile)) (without-counts (get r 'e1)) r))
