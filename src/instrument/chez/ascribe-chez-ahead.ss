;;; Compiling ahead (ascribe scheme --compile).  An object file gets its program twice: as the code that Scheme makes
;;; without Ascribe, and as the expander's output, written into a bytevector.  A recorded session instruments the
;;; latter and compiles it when the file is loaded (session.ss); elsewhere the code runs, and the bytes are ignored.

;; On the property list of `ascribe` a session keeps the procedure that takes such a bytevector, or #f: what could not
;; be written.
(define kept-property 'run-expanded)

;; Expanded code rebuilt, where `change` returns an expression or #f.
(define (rebuilt r change)
  (let copy ([r r])
    (cond [(and (list? r) (pair? r)) (map copy r)]
          [(not (record? r)) r]
          [(change r copy)]
          [(or (is? r rtd-quote) (is? r rtd-primref)) r]
          [(or (is? r rtd-clause) (record? r lsrc-rtd) (outer? r))
           (apply (shape-make (shape-of r))
                  (map (lambda (accessor) (copy (accessor r))) (shape-accessors (shape-of r))))]
          [else r])))

(define (stripped r)                    ; without counters
  (rebuilt r
    (lambda (r copy)
      (cond [(and (is? r rtd-seq) (is? (get r 'e0) rtd-profile)) (copy (get r 'e1))]
            [(is? r rtd-profile) (quoted (void))]
            [else #f]))))

;; How the code is compiled that Scheme makes now, by the parameters that this Scheme has.
(define (compiler-settings)
  (fold-right
   (lambda (name rest)
     (if (top-level-bound? name (scheme-environment))
         (cons (cons name ((top-level-value name (scheme-environment)))) rest)
         rest))
   '()
   '(optimize-level debug-level generate-interrupt-trap enable-arithmetic-left-associative
     enable-error-source-expression enable-unsafe-application enable-type-recovery)))

(define (bytes-of r output)             ; or #f
  (guard (e [#t #f])
    (let-values ([(port bytes) (open-bytevector-output-port)])
      (fasl-write (vector (current-directory) (and (string? output) (path-last output)) (compiler-settings) (library? r)
                          (with-empty-boxes r) (new-texts r output))
                  port)
      (bytes))))

;; Texts of files that this output has not yet, by descriptor: lines are known then where a source is missing.
(define outputs (make-weak-eq-hashtable)) ; of descriptors
(define (new-texts r output)
  (let ([new '()])
    (rebuilt r
      (lambda (r copy)
        (when (is? r rtd-profile)
          (let* ([sfd (source-object-sfd (get r 'src))] [known (hashtable-ref outputs sfd '())])
            (unless (member output known)
              (hashtable-set! outputs sfd (cons output known))
              (set! new (cons (cons sfd (read-source sfd)) new)))))
        #f))
    new))

;; What libraries that import one may inline of it.
(define (with-empty-boxes r)
  (rebuilt r
    (lambda (r copy)
      (and (named-so? r ":cte-optimization-loc") (box? (get r 'box)) (with r 'box (box '()) 'e (copy (get r 'e)))))))

(define (library? r)                    ; ($install-library/rt-code 'uid (lambda () body))
  (and (is? r rtd-call) (eq? (primitive (get r 'e0)) '$install-library/rt-code)))

(define (kept r output)                 ; (let ([run (getprop ...)]) (if run (run bytes) r))
  (let ([session (expanded `(#3%getprop 'ascribe ',kept-property #f))])
    (with template-if
          'e0 session
          'e1 (with template-call 'e0 session 'e1 (list (quoted (bytes-of r output))))
          'e2 (stripped r))))

(define (kept-outer r output)
  (cond [(named-so? r ":library/rt:")
         (kept (apply #%$build-install-library/rt-code (map (lambda (name) (get r name)) '(uid dl* db* dv* de* body))) output)]
        [(named-so? r ":program:") (with r 'body (kept (get r 'body) output))]
        [(named-so? r ":visit-only:") (stripped r)]
        [(outer? r)
         (apply (shape-make (shape-of r))
                (map-in-order (lambda (accessor)
                                (let ([x (accessor r)])
                                  (if (or (expression? x) (outer? x)) (kept-outer x output) x)))
                              (shape-accessors (shape-of r))))]
        [(expression? r) (kept r output)]
        [else r]))

(define (expand-ahead x . rest)
  (if (and (for-file? rest) (not (generate-wpo-files)))
      (let ([r (parameterize ([compile-profile 'source]) (apply plain-expand x rest))])
        (kept-outer r (and (> (length rest) 3) (cadddr rest))))
      (apply plain-expand x rest)))

(define (first-form path)               ; also behind a line "#! ..."
  (call-with-input-file path
    (lambda (port)
      (when (eqv? (peek-char port) #\#) (get-line port))
      (guard (e [#t #f]) (read port)))))
(define (begins-with? form name) (and (pair? form) (eq? (car form) name)))

(define (compile-files)
  (for-each
   (lambda (path)
     (let ([form (first-form path)])
       ((cond [(begins-with? form 'library) compile-library]
              [(begins-with? form 'import) compile-program]
              [else compile-file])
        path)))
   (command-line-arguments)))

(define (begin-ahead)
  (if (records-known?)
      (current-expand expand-ahead)
      (compile-profile 'source)))
