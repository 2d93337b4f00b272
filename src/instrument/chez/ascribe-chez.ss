;;; Loaded before a program by `ascribe scheme` (Chez Scheme 9.5) in a process that is recorded.  What the
;;; program expands is then counted by Chez's own counters (compile-profile), and instrumented: each
;;; procedure keeps its point in a word of its thread, or its context (--contexts).
;;; Source: O. Waddell, J. M. Ashley, "Visualizing the performance of higher-order programs", section 3.
;;;
;;; - points.ss      what the recording is told: procedures, expressions and their counts
;;; - records.ss     the expander's output, read and rebuilt by reflection
;;; - instrument.ss  the pass over it, which also writes the core forms for the flow analysis
;;; - session.ss     hooks, collections, threads and the end
;;;
;;; ASCRIBE_SCHEME is what the command says, to be read: (directory mode contexts? (name . number) ...), the
;;; numbers being the places in struct ascribe_host.
(let* ([text (getenv "ASCRIBE_SCHEME")]
       [said (and text (guard (e [#t #f]) (read (open-input-string text))))])
  (when (pair? said)
    (let ([run (parameterize ([source-directories (list (car said))] [compile-profile #f] [optimize-level 2]
                              [generate-inspector-information #f] [enable-cross-library-optimization #f])
                 (eval `(let ([said ',(cdr said)])
                          (include "ascribe-chez-points.ss")
                          (include "ascribe-chez-records.ss")
                          (include "ascribe-chez-instrument.ss")
                          (include "ascribe-chez-session.ss")
                          (begin-session)
                          run-program)
                       (scheme-environment)))])
      (run))))
