;;; What is hooked: the expander, collections, threads, and the end of the program.

(define contexts? #f)
(define instruments? #f)
(define host-there? #f)

(define thread-pointer (let ([made #f]) (lambda () (unless made (set! made (foreign-procedure "pthread_self" () uptr))) (made))))

;; Where virtual register `place-register` of this thread is, by a value that is put there.
(define (register-address)
  (let* ([tc (#%$tc)] [mark 812345678901234567] [old (virtual-register place-register)])
    (and (fixnum? tc)
         (let ([address (* 8 tc)])
           (set-virtual-register! place-register mark)
           (let search ([i 0])
             (cond [(fx= i 1024) (set-virtual-register! place-register old) #f]
                   [(= (foreign-ref 'integer-64 address i) (* 8 mark))
                    (set-virtual-register! place-register old)
                    (+ address i)]
                   [else (search (fx+ i 8))]))))))

(define (begin-thread! owner)           ; in each; owner: a box of it
  (let ([centre (foreign-ref 'integer-64 host (number-of 'centre))])
    (when (< centre 0) (set-virtual-register! centre-register (+ (thread-pointer) centre))))
  (let ([address (register-address)])
    (when address
      (set-virtual-register! place-register 0)
      (when contexts? (begin-contexts! owner))
      (host-running address))))
(define (end-thread!)
  (when contexts? (end-contexts!)))

(define fork-thread-here
  (lambda (thunk)
    (if (procedure? thunk)
        (let* ([owner (box #f)] [thread (fork-thread (lambda () (begin-thread! owner) (thunk) (end-thread!)))])
          (set-box! owner thread)
          thread)
        (fork-thread thunk))))

;; An engine's timer stops a procedure that is called before it has entered its context: the place that it was called
;; from is there again when the engine goes on, and who runs the engine goes on in its own.  Ticks are those that the
;; program's own calls take.
(define make-engine-here
  (lambda (thunk)
    (if (procedure? thunk)
        (engine-here (make-engine (lambda () (with-place-kept thunk))))
        (make-engine thunk))))          ; an error
(define (engine-here engine)
  (lambda (ticks complete expire)
    (let ([place (virtual-register place-register)])
      (engine ticks
              (if (procedure? complete) (lambda results (put-place! place) (apply complete results)) complete)
              (if (procedure? expire) (lambda (rest) (put-place! place) (expire (engine-here rest))) expire)))))
;; Once an exception is handled, the engine has its own timer again.
(define (with-place-kept thunk)
  (with-exception-handler
   (lambda (c)
     (call-with-values
      (lambda () (raise-continuable c))
      (lambda results (keep-place-at-timer! 13) (apply values results))))
   (lambda () (keep-place-at-timer! 9) (thunk))))
(define (keep-place-at-timer! ticks)
  (let ([block (timer-interrupt-handler)])
    (define (stop)
      (let ([place (virtual-register place-register)])
        (block)
        (timer-interrupt-handler stop)
        (put-place! place)
        (give-back-ticks! 4)))
    (timer-interrupt-handler stop)
    (give-back-ticks! ticks)))
(define (give-back-ticks! own)          ; one for each of our calls since the timer was set
  (set-timer (fx+ (set-timer 0) own)))

;; What a program's handler of an interrupt stops goes on in its place: a loop's rounds do not say it again.
(define programs-handlers (make-weak-eq-hashtable)) ; by the handler that Scheme has
(define programs-handlers-mutex (make-mutex))
(define (keeping-place handler)
  (if (procedure? handler)
      (let ([kept (lambda arguments
                    (let ([place (virtual-register place-register)])
                      (apply handler arguments)
                      (put-place! place)))])
        (with-mutex programs-handlers-mutex (hashtable-set! programs-handlers kept handler))
        kept)
      handler))                         ; an error
(define (handler-here parameter)
  (case-lambda
    [() (let ([handler (parameter)])
          (with-mutex programs-handlers-mutex (hashtable-ref programs-handlers handler handler)))]
    [(handler) (parameter (keeping-place handler))]))
(define timer-interrupt-handler-here (handler-here timer-interrupt-handler))
(define keyboard-interrupt-handler-here (handler-here keyboard-interrupt-handler))
(define register-signal-handler-here
  (lambda (signal handler) (register-signal-handler signal (keeping-place handler))))

;; Of a foreign procedure "fork".
(define forks
  (lambda (plain)
    (lambda arguments
      (let* ([parent (get-process-id)] [sums (alone (counted-sums))] [result (apply plain arguments)])
        (unless (eqv? (get-process-id) parent) (set! parents-sums sums))
        result))))

;; What was compiled ahead may use every global by its name. Its header may stand behind a line "#! ...".
(define object-header #vu8(0 0 0 0 99 104 101 122)) ; and "chez"
(define (object-file? path)
  (guard (e [#t #f])
    (let ([port (open-file-input-port path)])
      (dynamic-wind
        void
        (lambda ()
          (when (eqv? (lookahead-u8 port) 35)
            (let next () (let ([byte (get-u8 port)]) (unless (or (eof-object? byte) (eqv? byte 10)) (next)))))
          (equal? (get-bytevector-n port 8) object-header))
        (lambda () (close-port port))))))

(define (found-in-directories path)     ; as `load` finds it
  (or (and (not (path-absolute? path))
           (ormap (lambda (directory)
                    (let ([whole (string-append directory "/" path)]) (and (file-exists? whole) whole)))
                  (source-directories)))
      path))

(define load-here
  (lambda (path . rest)
    (cond [(and (string? path) (object-file? (found-in-directories path)))
           (set! unsettled (cons (path-last path) unsettled))
           (parameterize ([library-search-handler plain-search]) (apply load path rest))
           (alone (settle-objects!))]
          [else (apply load path rest)])))

;;; ---- what was compiled ahead with its expanded form: see ahead.ss

(define unsettled '())                  ; names of object files that may have other code
(define kept-outputs '())               ; names of those whose code is known
(define (settle-objects!)
  (unless (andmap (lambda (name) (member name kept-outputs)) unsettled) (note-reached!))
  (set! unsettled '()))

(define run-kept
  (lambda (bytes)
    (if bytes
        (let* ([said (fasl-read (open-bytevector-input-port bytes))] [output (vector-ref said 1)])
          (unless (member output kept-outputs) (set! kept-outputs (cons output kept-outputs)))
          ((compiled-kept (vector-ref said 2)
                          (parameterize ([optimize-level (cdr (assq 'optimize-level (vector-ref said 2)))])
                            (instrumented
                             (with-known-sources (vector-ref said 4) (vector-ref said 0) (vector-ref said 5))
                             (if (vector-ref said 3) instrument-installed instrument))))))
        (alone (note-reached!)))))

;; A procedure. Its warnings were given when it was compiled ahead.
(define (compiled-kept settings r)
  (with-exception-handler
   (lambda (c) (unless (warning? c) (raise c)))
   (lambda ()
     (let set ([rest settings])
       (if (null? rest)
           (parameterize ([current-expand (lambda arguments (thunk-of r))]) (compile '(void)))
           (let ([parameter (top-level-value (caar rest) (scheme-environment))])
             (parameterize ([parameter (cdar rest)]) (set (cdr rest)))))))))

(define (instrument-installed r)        ; ($install-library/rt-code 'uid (lambda () body))
  (with r 'e1 (list (car (get r 'e1)) (instrument-body (cadr (get r 'e1))))))

(define (thunk-of r)
  (with template-lambda 'cl (list (with (car (get template-lambda 'cl)) 'x* '() 'interface 0 'body r))))

;; Each form has a file descriptor of its own.
(define known-files (make-hashtable equal-hash equal?)) ; (path . checksum) -> descriptor
(define (with-known-sources r directory texts)
  (define (known source)
    (let* ([sfd (source-object-sfd source)] [path (source-file-descriptor-path sfd)]
           [key (cons (in-directory directory path) (source-file-descriptor-checksum sfd))])
      (unless (hashtable-contains? known-files key)
        (hashtable-set! known-files key sfd)
        (when (assq sfd texts) (hashtable-set! kept-texts sfd (cdr (assq sfd texts))))
        (hashtable-set! kept-directories sfd directory))
      (make-source-object (hashtable-ref known-files key #f) (source-object-bfp source) (source-object-efp source))))
  (rebuilt r
    (lambda (r copy)
      (cond [(source-object? r) (known r)]
            [(is? r rtd-prelex) r]
            [(and (not (record? r lsrc-rtd)) (has? r 'src)) ; preinfo
             (if (source-object? (get r 'src)) (with r 'src (known (get r 'src))) r)]
            [else #f]))))

;; A program's own use of the registers that are taken.
(define taken-registers (make-thread-parameter '()))
(define (taken? register) (memv register (list place-register lines-register context-register centre-register)))
(define virtual-register-here
  (lambda (register)
    (if (taken? register)
        (let ([known (assv register (taken-registers))]) (if known (cdr known) 0))
        (virtual-register register))))
(define set-virtual-register-here!
  (lambda (register value)
    (if (taken? register)
        (taken-registers (cons (cons register value) (remp (lambda (x) (eqv? (car x) register)) (taken-registers))))
        (set-virtual-register! register value))))

;; The interpreter passes over counters, so that what it runs is no code that was never executed.  Nor is a transformer
;; instrumented that is evaluated while a file is compiled: it goes into that file.
(define interprets? (make-thread-parameter #f))
(define interpret-here
  (lambda arguments
    (parameterize ([interprets? #t]) (apply interpret arguments))))

;; Shows what Scheme makes of a form.
(define expand/optimize-here
  (lambda arguments
    (parameterize ([compile-profile #f] [interprets? #t]) (apply expand/optimize arguments))))

;;; ---- the expander

(define (set-place! point)              ; returns what was there
  (let ([old (virtual-register place-register)])
    (cond [(not contexts?) (set-virtual-register! place-register point)]
          [(thread-known?)
           (let ([own (call-there enter-there (from-of old) point)])
             (set-virtual-register! place-register (pair-of own own)))])
    old))
(define (put-place! old) (set-virtual-register! place-register old))

;; Points and counters are made and read by one thread at a time.  A collection stops a thread anywhere, with the mutex,
;; too: who collects must not wait for it (write-counts-sometimes!).
(define pass-mutex (make-mutex))
(define in-pass? #f)                    ; somebody has it
(define-syntax alone
  (syntax-rules ()
    [(_ e ...)
     (dynamic-wind
       (lambda () (mutex-acquire pass-mutex) (set! in-pass? #t))
       (lambda () e ...)
       (lambda () (set! in-pass? #f) (mutex-release pass-mutex)))]))

;; What is expanded for an object file is for other processes: it is left as it is without Ascribe.
(define (for-file? rest) (and (> (length rest) 2) (caddr rest)))
(define (for-evaluation? rest)
  (and (> (length rest) 1) (cadr rest) (not (interprets?)) (not (eq? (current-eval) interpret))))

;; A program's own expander and collect-request-handler go behind ours.
(define program-expand (make-thread-parameter plain-expand))
(define current-expand-here
  (case-lambda
    [() (program-expand)]
    [(expander) (if (procedure? expander) (program-expand expander) (current-expand expander))])) ; an error

(define program-collect (collect-request-handler))
(define collect-request-handler-here
  (case-lambda
    [() program-collect]
    [(handler)
     (collect-request-handler (if (procedure? handler) (collecting handler) handler))
     (set! program-collect handler)]))

(define (instrumented r pass)
  (if instruments?
      (alone (guard (e [#t (note-reached!) r]) (pass r)))
      r))

(define (expand-here x . rest)
  (if (for-file? rest)
      (parameterize ([compile-profile #f] [interprets? #t]) (apply (program-expand) x rest)) ; transformers, too
      (let* ([place (virtual-register place-register)]
             [r (parameterize ([expanding? #t]) (apply (program-expand) x rest))])
        (put-place! place)              ; transformers have changed it, which the expander called
        (if (and instruments? (for-evaluation? rest) (or (expression? r) (outer? r)))
            (instrumented r (cond [(outer? r) instrument-outer] [(body? r) instrument-body] [else instrument-form]))
            (begin
              (when (and instruments? (expression? r)) (alone (note-reached!))) ; interpreted
              r)))))

;; Libraries that were compiled ahead are taken from their sources, if these are there. Not those of programs that
;; were compiled ahead themselves: these are bound to the object files.
(define plain-search (library-search-handler))
(define (search-sources plain)
  (lambda (who library directories extensions)
    (let-values ([(source object object?) (plain who library directories extensions)])
      (values source object (and object? (not source))))))

;;; ---- counts, from time to time and at the end

(define last-written (real-time))
(define written-in 0)                   ; ms

(define (write-counts-sometimes!)
  (let ([now (real-time)])
    (when (and (> (- now last-written) (max 100 (* 100 written-in))) (not in-pass?) (mutex-acquire pass-mutex #f))
      (write-counts-now!)
      (mutex-release pass-mutex)
      (set! written-in (- (real-time) now))
      (set! last-written (real-time)))))

(define (write-counts-now!)
  (guard (e [#t (display-condition e (console-error-port))])
    (alone (settle-objects!) (write-counts!))))

(define collection-point 0)
(define collections 0)                  ; the index of their counter

(define (collecting plain)
  (lambda ()
    (let ([old (set-place! collection-point)])
      (unless contexts?
        (let ([address (vector-ref addresses collections)])
          (unless (eqv? address 0)
            (foreign-set! 'unsigned-64 address 0 (+ 1 (foreign-ref 'unsigned-64 address 0))))))
      (plain)
      (write-counts-sometimes!)
      (put-place! old))))

;;; ---- the program

(define (run-program)
  (when host-there? (compile-profile 'source))
  (case mode
    [(script program)
     (let ([arguments (command-line-arguments)])
       (dynamic-wind
         void
         (lambda () (apply (if (eq? mode 'script) (scheme-script) (scheme-program)) arguments))
         (if host-there? write-counts-now! void)))]
    [(compile) (compile-files)]
    [else (void)]))

(define (write-at parameter)
  (parameter (let ([plain (parameter)]) (lambda arguments (write-counts-now!) (apply plain arguments)))))

(define (begin-session)
  ((foreign-procedure (begin (load-shared-object #f) "unsetenv") (utf-8) int) "ASCRIBE_SCHEME")
  (cond [(not (eqv? (number-of 'ahead) 0)) (begin-ahead)]
        [(host-begins?) (begin-recorded)]))

(define (begin-recorded)
  (set! host-there? #t)
  (set! world (host-world "Chez Scheme"))
  (set! contexts? (and contexts-wanted? (< (foreign-ref 'integer-64 host (number-of 'context)) 0)))
  (host-own-code 0 0)
  (set! instruments? (records-known?))
  (if instruments?
      (make-templates!)
      (display "ascribe: this Scheme's expander is not known: expressions are counted, but procedures have no times\n"
               (console-error-port)))
  (set! collection-point (new-function "(collection)" #f #f))
  (set! collections (hashtable-ref entry-counters collection-point #f))
  (claim-counters!)
  (set! unsettled (number-of 'objects))
  (putprop 'ascribe kept-property run-kept)
  (begin-thread! (box #f))
  (define-scc!)
  (current-expand expand-here)
  (when (null? unsettled)
    (library-search-handler (search-sources plain-search)))
  (compile-imported-libraries #f)     ; the object files are for other processes
  (collect-request-handler (collecting (collect-request-handler)))
  (when (eq? mode 'files)
    (write-at exit-handler)
    (write-at abort-handler)))
