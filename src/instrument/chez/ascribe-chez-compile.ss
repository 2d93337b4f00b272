;;; Run by `ascribe scheme --compile FILE...`: compiles programs, libraries and files ahead, with Chez's own counters
;;; in them.  A build script does the same by (compile-profile 'source).
(define (first-form path)               ; also behind a line "#! ..."
  (call-with-input-file path
    (lambda (port)
      (when (eqv? (peek-char port) #\#) (get-line port))
      (guard (e [#t #f]) (read port)))))
(define (begins-with? form name) (and (pair? form) (eq? (car form) name)))

(compile-profile 'source)
(generate-wpo-files #f)
(for-each
  (lambda (path)
    (let ([form (first-form path)])
      ((cond [(begins-with? form 'library) compile-library]
             [(begins-with? form 'import) compile-program]
             [else compile-file])
       path)))
  (command-line-arguments))
