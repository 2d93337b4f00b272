;;; Runs a program and writes what Chez itself counts of it: line, column, end line, end column, count.
(define program (car (command-line-arguments)))
(define text (call-with-input-file program get-string-all))
(define (place position)
  (let next ([i 0] [line 1] [column 1])
    (cond [(= i position) (format "~a ~a" line column)]
          [(char=? (string-ref text i) #\newline) (next (+ i 1) (+ line 1) 1)]
          [else (next (+ i 1) line (+ column (bytevector-length (string->utf8 (string (string-ref text i))))))])))
(define (write-counts)
  (with-output-to-file (cadr (command-line-arguments))
    (lambda ()
      (for-each
       (lambda (entry)
         (when (string=? program (source-file-descriptor-path (source-object-sfd (car entry))))
           (printf "~a ~a ~a\n" (place (source-object-bfp (car entry))) (place (source-object-efp (car entry)))
                   (cdr entry))))
       (profile-dump)))
    'replace))
(let ([plain (exit-handler)])
  (exit-handler (lambda arguments (write-counts) (apply plain arguments))))
(compile-profile 'source)
(load program)
(exit)
