;;; Loaded before a program by `ascribe scheme` (Chez Scheme 9.5) in a process that is recorded.  What the
;;; program expands is then counted by Chez's own counters (compile-profile), and instrumented: each
;;; procedure keeps its point in a word of its thread, or its context (--contexts).
;;; Source: O. Waddell, J. M. Ashley, "Visualizing the performance of higher-order programs", section 3.
;;;
;;; - points.ss      what the recording is told: procedures, expressions and their counts
;;; - records.ss     the expander's output, read and rebuilt by reflection
;;; - instrument.ss  the pass over it, which also writes the core forms for the flow analysis
;;; - ahead.ss       compiling ahead
;;; - session.ss     hooks, collections, threads and the end
;;;
;;; Compiled, they are kept in the user's cache for the next run of the same Scheme.
;;;
;;; ASCRIBE_SCHEME is what the command says, to be read: (directory cache mode contexts? (name . number) ...), the
;;; numbers being the places in struct ascribe_host; cache is how the name of the compiled file begins and the key
;;; that it has inside while the sources are the same, or #f. In mode `cache` that file is written, and that is all.
(let* ([text (getenv "ASCRIBE_SCHEME")]
       [said (and text (guard (e [#t #f]) (read (open-input-string text))))])
  (define form
    '(lambda (said)
       (include "ascribe-chez-points.ss")
       (include "ascribe-chez-records.ss")
       (include "ascribe-chez-instrument.ss")
       (include "ascribe-chez-ahead.ss")
       (include "ascribe-chez-session.ss")
       (begin-session)
       run-program))
  (define (cache-file prefix)
    (let-values ([(major minor patch) (scheme-version-number)])
      (format "~a-~a.~a.~a-~a" prefix major minor patch (machine-type))))
  (define (load-compiled file key)      ; the procedure, or #f
    (guard (e [#t #f])
      (and (file-exists? file)
           (let* ([port (open-file-input-port file)] [loaded (load-compiled-from-port port)])
             (close-port port)
             (and (pair? loaded) (equal? (car loaded) key) (cdr loaded))))))
  (define (write-compiled file key)     ; several processes may do it at once
    (let ([own (format "~a.~a" file (get-process-id))])
      (guard (e [#t (delete-file own)])
        (let ([port (open-file-output-port own (file-options no-fail))])
          (compile-to-port (list `(cons ',key ,form)) port)
          (close-port port)
          (rename-file own file)))))
  (define (procedure cache)
    (or (and cache
             (let ([file (cache-file (car cache))] [key (cdr cache)])
               (or (load-compiled file key)
                   (begin (write-compiled file key) (load-compiled file key)))))
        (eval form)))
  (when (pair? said)
    (let ([begun (parameterize ([source-directories (list (car said))] [compile-profile #f] [optimize-level 2]
                                [generate-inspector-information #f] [enable-cross-library-optimization #f]
                                [interaction-environment (scheme-environment)])
                   (procedure (cadr said)))])
      (unless (eq? (caddr said) 'cache) ((begun (cddr said)))))))
