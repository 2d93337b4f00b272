;;; The pass over what is expanded.  Each procedure gets a counter of its entries and stores its point, or enters
;;; its context; after calls that are no tail calls that is stored again.  Nothing happens at tail calls, so
;;; that code without points is charged to its caller.
;;; Source: Waddell and Ashley, section 3.
;;;
;;; The pass also writes core forms in postfix order, for the flow analysis (src/flow/core_forms.h).

;; Virtual registers of each thread, and what is raw in them: fixnums' bits are 8 times their values.
(define place-register 15)              ; its place: a point; or with contexts a pair (below); 0: not known
(define lines-register 14)              ; how far its lines are behind those of `nowhere`
(define context-register 13)            ; its word that the runtime's functions read and write
(define centre-register 12)             ; where the runtime has its cost centre; 0: not known

;;; ---- contexts
;;;
;;; A pair of contexts is one fixnum: the context that a procedure is called from, and that which it puts back
;;; when it ends.  They are the same but in a tail call, where that is what the caller would have put back.
;;; The pair is from + 2 end + 2^30 end - 2^60: its lower bits tell pairs apart, and the runtime knows it by its
;;; sign (contexts/hosts.c).

(define contexts-most (expt 2 28))
(define end-shift 30)
(define (pair-of from end)
  (#3%fx+ (#3%fx+ from (#3%fxsll end 1)) (#3%fx+ (#3%fxsll end end-shift) (most-negative-fixnum))))
(define (end-of pair) (#3%fxlogand (#3%fxsrl pair end-shift) (fx- contexts-most 1)))
(define (from-of pair) (#3%fx- (#3%fxlogand pair (fx- (fxsll 1 end-shift) 1)) (#3%fxsll (end-of pair) 1)))

;; What was found for pairs is kept in lines, which each thread has for itself:
;;   0   the pair; 0: the line is empty
;;   8   the pair that the procedure goes on with: twice its own context
;;   16  the pair that it puts back: twice the caller's context
;;   24  from where to where its calls are counted, so that adding 32 to the fxvector that begins there adds 1
;; The pair of the transition that is newest is in the procedure's first line, whose address does not depend on
;; the pair: the processor goes on without waiting for that. Others are in its further lines, by their lower bits.
;; The runtime empties lines before calls are counted elsewhere (ascribe/host.h).  A thread that is not known has
;; a pair of 0, and the first lines of `nowhere`, all zeros: its calls are counted in a line that no procedure has.
;; The continuation of a known thread may put its pair there: no line of `nowhere` has it, and enter-slowly sees that.
(define procedures-most (expt 2 15))
(define line-bytes 32)
(define further-bytes (* 256 line-bytes))
(define further-start (* procedures-most line-bytes))
(define used-start (+ further-start (* procedures-most further-bytes))) ; a byte for each procedure: has further lines
(define lines-bytes (+ used-start procedures-most))
(define (further-place pair)            ; by its lower bits: how far behind the first of the further lines
  (#3%fxlogand (#3%fxsll pair 2) (fxdiv (- further-bytes line-bytes) 8)))
(define nowhere 0)                      ; the address, as that of all lines in 8 bytes

(define (map-lines bytes flags)         ; their address / 8, or #f; a forked child finds zeros
  (let* ([readable+writable 3] [private+anonymous+unreserved #x4022] [wipe-on-fork 18]
         [address ((foreign-procedure "mmap" (uptr size_t int int int long) iptr)
                   0 bytes readable+writable (bitwise-ior private+anonymous+unreserved flags) -1 0)])
    (and (> address 0)
         (zero? ((foreign-procedure "madvise" (uptr size_t int) int) address bytes wipe-on-fork))
         (fxdiv address 8))))
(define (empty-lines! lines)
  (let ([do-not-need 4])
    ((foreign-procedure "madvise" (uptr size_t int) int) (* 8 lines) lines-bytes do-not-need)))
(define (make-nowhere!)                 ; whether it could be made: displacements have 32 bits
  (let* ([below-2-GB #x40] [address (map-lines lines-bytes below-2-GB)])
    (and address
         (< (+ (* 8 address) lines-bytes) #x7fff0000)
         (begin (set! nowhere address) #t))))

;; Lines stay mapped when their thread ends, for the next thread that begins. An exception may end a thread
;; anywhere, so the next one looks which threads have ended.
(define all-lines '())                  ; (lines . owner); owner: a box of the thread, of #f while it is not known, or #f
(define all-lines-mutex (make-mutex))
(define (ended? owner)
  (or (not owner) (and (unbox owner) (eqv? (#%$thread-tc (unbox owner)) 0))))
(define (claim-lines! owner)            ; empty ones, or #f
  (with-mutex all-lines-mutex
    (let ([left (find (lambda (entry) (ended? (cdr entry))) all-lines)])
      (if left
          (begin
            (set-cdr! left owner)
            (empty-lines! (car left))
            (car left))
          (let ([lines (map-lines (* 2 lines-bytes) 0)])
            (when lines                 ; as much is left for the program, where address space is limited
              ((foreign-procedure "munmap" (uptr size_t) int) (+ (* 8 lines) lines-bytes) lines-bytes)
              (set! all-lines (cons (cons lines owner) all-lines)))
            lines)))))
(define (release-lines! lines)
  (with-mutex all-lines-mutex
    (empty-lines! lines)
    (set-cdr! (assv lines all-lines) #f)))

(define procedure-count 1)
(define (next-procedure)                ; the last number is for all that there is no room for
  (let ([number procedure-count])
    (set! procedure-count (min (+ number 1) (- procedures-most 1)))
    number))
(define (first-line procedure) (+ nowhere (fxdiv (* line-bytes procedure) 8)))
(define (procedure-of first-line) (#3%fxsrl (#3%fx- first-line nowhere) 2))
(define (further-lines procedure) (+ nowhere (fxdiv (+ further-start (* further-bytes procedure)) 8)))

(define last-line 0)
(define gate-distance 0)                ; from the context's word to the address of struct ascribe_gate
(define (tell-lines!)                   ; to the runtime, for this thread
  (let ([lines (* 8 (+ nowhere (virtual-register lines-register)))]
        [gate (foreign-ref 'uptr (+ (* 8 (virtual-register context-register)) gate-distance) 0)])
    (foreign-set! 'uptr lines 8 procedure-count)
    (foreign-set! 'uptr lines 16 further-start)
    (foreign-set! 'uptr lines 24 used-start)
    (foreign-set! 'uptr gate 24 lines)))

(define said-no-lines? #f)
(define (begin-contexts! owner)         ; of a thread
  (let ([lines (claim-lines! owner)] [context (foreign-ref 'integer-64 host (number-of 'context))])
    (cond
      [lines
       (set! last-line (first-line (- procedures-most 1)))
       (set! gate-distance (- (foreign-ref 'integer-64 host (number-of 'gate)) context))
       (set-virtual-register! context-register (fxdiv (+ (thread-pointer) context) 8))
       (set-virtual-register! lines-register (- lines nowhere))
       (set-virtual-register! place-register (pair-of 0 0))]
      [(not said-no-lines?)
       (set! said-no-lines? #t)
       (display "ascribe: there is no address space for contexts of another thread: its calls are left out\n"
                (console-error-port))])))
(define (thread-known?) (not (eqv? (virtual-register lines-register) 0)))
(define (end-contexts!)
  (when (thread-known?)
    (let* ([lines (+ nowhere (virtual-register lines-register))]
           [gate (foreign-ref 'uptr (+ (* 8 (virtual-register context-register)) gate-distance) 0)])
      (set-virtual-register! place-register 0)
      (set-virtual-register! lines-register 0)
      (when (eqv? (foreign-ref 'uptr gate 24) (* 8 lines)) (foreign-set! 'uptr gate 24 0))
      (release-lines! lines))))

;; Where the runtime counts that transition: in its home slot or one of the next; or #f.  Addresses here are
;; fixnums of their bits.
(define (hash-of key)                   ; ascribe_enter_own's, without the context; as a raw word
  (bitwise-arithmetic-shift-right (bitwise-and (* 2 key #x1E3779B1) #xffffffff) 3))
(define (transition from key hash)
  (let* ([gate (#3%$object-ref 'scheme-object (#3%virtual-register context-register) gate-distance)]
         [mask (#3%$object-ref 'scheme-object gate 0)] ; before the table: see ascribe/host.h
         [table (#3%fx+ gate (#3%$object-ref 'scheme-object gate 8))])
    (let next ([place (#3%fxlogand (#3%fx+ hash from) mask)] [left 4])
      (let ([slot (#3%fx+ table place)])
        (cond [(#3%fx= (#3%fxlogor (#3%fxlogxor (#3%$object-ref 'fixnum slot 8) key)
                                   (#3%fxlogor (#3%fxlogxor (#3%$object-ref 'unsigned-32 slot 0) from)
                                               (#3%$object-ref 'fixnum slot 16)))
                       0)
               slot]
              [(#3%fx= left 1) #f]
              [else (next (#3%fxlogand (#3%fx+ place 4) mask) (#3%fx- left 1))])))))

(define (call-there function from key)  ; a context, by the runtime
  (let ([word (* 8 (virtual-register context-register))])
    (foreign-set! 'unsigned-64 word 0 from)
    (function key)
    (let ([own (foreign-ref 'unsigned-32 word 0)])
      (foreign-set! 'unsigned-64 word 0 0)
      (min own (fx- contexts-most 1))))) ; which is none: the runtime says so
(define (enter-there key) (host-enter key 0))

(define-syntax set-raw!                 ; the bits of 8 times a fixnum, and less than 8
  (syntax-rules ()
    [(_ line place value rest)
     (let ([x value])
       (#3%$object-set! 'unsigned-32 line place (#3%fx+ (#3%fxsll x 3) rest))
       (#3%$object-set! 'unsigned-32 line (+ place 4) (#3%fxsra x 29)))]))
(define (move-line! from to)
  (define (copy! place)
    (#3%$object-set! 'unsigned-32 to place (#3%$object-ref 'unsigned-32 from place)))
  (set-raw! to 0 0 0)
  (for-each copy! '(8 12 16 20 24 28 0 4))
  (set-raw! from 0 0 0))

;; The slot where the runtime has just counted a call; #f if it rebuilt its table behind that, where all counts are 0:
;; taking the call back would leave less than none.
(define (counting-slot slot)
  (and slot (not (#3%fx= (#3%$object-ref 'fixnum slot 24) 0)) slot))

;; The pair is in no line. Returns the line that it is in now, as far as it is behind `nowhere`, with the call still
;; to be counted.
(define (enter-slowly key hash first further)
  (disable-interrupts)                  ; a handler that enters procedures, or another thread that resumes an engine
  (let ([line (if (thread-known?) (enter-known key hash first further) (#3%fx- first nowhere))])
    (enable-interrupts)
    line))
(define (enter-known key hash first further)
  (let* ([pair (#3%virtual-register place-register)] [from (from-of pair)] [end (end-of pair)]
         [known (transition from key hash)]
         [own (if known (#3%$object-ref 'unsigned-32 known 4) (call-there enter-there from key))]
         [gate (#3%$object-ref 'scheme-object (#3%virtual-register context-register) gate-distance)]
         [table (#3%$object-ref 'scheme-object gate 8)]
         [slot (or known (counting-slot (transition from key hash)))]
         [lines (#3%virtual-register lines-register)])
    (define (line-of pair)              ; is used from now on
      (#3%$object-set! 'unsigned-8 (#3%fx+ lines (#3%fx+ nowhere (fxdiv used-start 8))) (procedure-of first) 1)
      (#3%fx+ (#3%fx+ lines further) (further-place pair)))
    (define (fill! line)
      (set-raw! line 0 0 0)
      (set-raw! line 8 (pair-of own own) 0)
      (set-raw! line 16 (pair-of end end) 0)
      (if slot
          (set-raw! line 24 (#3%fx+ (#3%fx- slot nowhere) 1) 6)
          (set-raw! line 24 0 0))
      (when (and slot (#3%fx< first last-line))
        (set-raw! line 0 pair 0)
        (unless (#3%eq? table (#3%$object-ref 'scheme-object gate 8)) ; a handler changed it
          (set-raw! line 0 0 0)))
      (#3%fx- line nowhere))
    (if known
        (fill! (line-of pair))
        (let* ([line (#3%fx+ lines first)] [before (#3%$object-ref 'scheme-object line 0)])
          (when slot
            (#3%$object-set! 'fixnum slot 24 (#3%fx- (#3%$object-ref 'fixnum slot 24) 1))
            (tell-lines!))
          (unless (#3%eq? before 0) (move-line! line (line-of before)))
          (fill! line)))))

;;; ---- code that is put in

;;; Chez counts the ways of each branch that it compiles while compile-profile is on, of ours as well: that code
;;; has one branch for each entry, and none elsewhere.

(define line-template #f)
(define caller-template #f)
(define own-template #f)
(define put-back-template #f)
(define end-template #f)
(define again-template #f)

(define (make-templates!)
  (set! put-back-template (expanded `(#3%set-virtual-register! ,place-register 'ascribe-own)))
  (when contexts? (make-context-templates!)))

(define (make-context-templates!)
  (define (raw line place) `(#3%$object-ref 'scheme-object ,line ,place))
  (define (go-on-with pair) `(#3%set-virtual-register! ,place-register ,pair))
  (let ([lines (and (make-nowhere!) (claim-lines! #f))]) ; which the main thread takes
    (unless lines
      (set! contexts? #f)
      (display "ascribe: there is no address space for contexts: --contexts is left out\n" (console-error-port))))
  (make-in-frame!)
  (set! line-template                   ; by how far it is behind `nowhere`
    (expanded
     `(let ([pair (#3%virtual-register ,place-register)] [lines (#3%virtual-register ,lines-register)])
        (if (#3%eq? ,(raw 'lines ''ascribe-first-byte) pair)
            (#3%fx+ lines 'ascribe-first-line)
            (let ([line (#3%fx+ lines (#3%fxlogand (#3%fxsll pair 2) ,(further-place -1)))])
              (if (#3%eq? ,(raw 'line ''ascribe-further-byte) pair)
                  (#3%fx+ line 'ascribe-further-line)
                  ('ascribe-slow 'ascribe-key 'ascribe-hash 'ascribe-first 'ascribe-further)))))))
  (let* ([first (* 8 nowhere)]
         [count `(let ([counter ,(raw ''ascribe-line (+ first 24))])
                   (#3%fxvector-set! counter ,nowhere (#3%fx+ (#3%fxvector-ref counter ,nowhere) 32)))]
         [tail-call `(#3%fx+ 'ascribe-caller (#3%fx- (#3%fxsrl 'ascribe-own ,end-shift)
                                                     (#3%fxsrl 'ascribe-caller ,end-shift)))])
    (set! own-template
      (expanded `(begin
                   ,count
                   (let ([own ,(raw ''ascribe-line (+ first 8))])
                     ,(go-on-with 'own)
                     own))))
    (set! caller-template (expanded (raw ''ascribe-line (+ first 16))))
    (set! end-template (expanded (go-on-with tail-call)))
    (set! again-template
      (expanded `(let ([next ,tail-call])
                   (if (#3%eq? ,(raw ''ascribe-line first) next)
                       (begin ,count 'ascribe-again)
                       (begin ,(go-on-with 'next) 'ascribe-call)))))))

;; Of the procedure that is walked, expressions.  own: its place: the point, or in contexts the pair of its own.
;; caller: in contexts the pair that it puts back when it ends, or #f at the top level.
;; line: in contexts the line that its pair was found in.
;; variable: what the procedure is bound to for good, and its arguments, or #f; rounds: of its body (below), or #f
(define-record-type state (fields own caller line variable (mutable rounds)) (nongenerative) (sealed #t))
(define (top-state own) (make-state own #f #f #f #f))

(define (put-back state) (go-on-with (state-own state)))
(define (go-on-with pair) (copied put-back-template (list (cons 'ascribe-own pair))))
(define (of-state template state . keys)
  (copied template (append keys (list (cons 'ascribe-own (state-own state)) (cons 'ascribe-caller (state-caller state))
                                      (cons 'ascribe-line (state-line state))))))

(define (entering point variable body-of) ; body-of: from the state to the body
  (if contexts?
      (let* ([procedure (next-procedure)] [first (first-line procedure)] [further (further-lines procedure)])
        (let-variable (copied line-template
                              (list (cons 'ascribe-first-byte (quoted (* 8 first)))
                                    (cons 'ascribe-first-line (quoted (- first nowhere)))
                                    (cons 'ascribe-further-byte (quoted (* 8 further)))
                                    (cons 'ascribe-further-line (quoted (- further nowhere)))
                                    (cons 'ascribe-first (quoted first)) (cons 'ascribe-further (quoted further))
                                    (cons 'ascribe-key (quoted point)) (cons 'ascribe-hash (quoted (hash-of point)))
                                    (cons 'ascribe-slow (quoted enter-slowly))))
          (lambda (line)
            (let-variable (copied own-template (list (cons 'ascribe-line line)))
              (lambda (own)
                (let-variable (copied caller-template (list (cons 'ascribe-line line)))
                              (lambda (caller) (body-of (make-state own caller line variable #f)))))))))
      (let ([state (make-state (quoted point) #f #f variable #f)])
        (in-order (put-back state) (body-of state)))))

;; Before a procedure ends, its caller's context is put back, so that unprofiled code which calls back does so
;; from its own caller's context.
(define (leaves? where state) (and state (eq? where 'tail) (state-caller state) #t))
(define (leaving-before where state r)
  (if (leaves? where state)
      (in-order (go-on-with (state-caller state)) r)
      r))
(define (leaving-after where state r)   ; of one value
  (if (leaves? where state)
      (let-variable r
        (lambda (value) (in-order (go-on-with (state-caller state)) value)))
      r))
;; A procedure that is tail-called puts back what its caller would have put back; the caller stays active.
(define (ending where state r)
  (if (leaves? where state)
      (in-order (of-state end-template state) r)
      r))

;; A loop's procedure calls itself where it ends.  The next round has the same place and goes on with the body, which is
;; a procedure of its own.  In contexts it does so if its pair is that of the round before, and counts the call.
(define (calls-itself? where state r)
  (and state (eq? where 'tail) (state-variable state)
       (let ([operator (get r 'e0)])
         (and (is? operator rtd-ref) (eq? (get operator 'x) (car (state-variable state)))
              (fx= (length (get r 'e1)) (cdr (state-variable state)))))))
(define (calling-again state r)         ; its arguments are simple
  (unless (state-rounds state) (state-rounds-set! state (new-variable 'rounds)))
  (if (state-caller state) (calling-line-again state r) (beginning-again state r)))
(define (beginning-again state call) (with call 'e0 (reference-to (state-rounds state))))
(define (calling-line-again state r)
  (let bind ([rest (reverse (get r 'e1))] [bound '()]) ; the last one first, as the compiler has it
    (if (pair? rest)
        (let-variable (car rest) (lambda (x) (bind (cdr rest) (cons x bound))))
        (let ([call (with r 'e1 bound)])
          (of-state again-template state
                    (cons 'ascribe-again (beginning-again state call)) (cons 'ascribe-call call))))))
(define (ending-call where state r)
  (if (calls-itself? where state r) (calling-again state r) (ending where state r)))

;; The body, which begins with arguments of the clause and again by `rounds`
(define (in-rounds procedure clause rounds body arguments)
  (with template-letrec
    'x* (list rounds)
    'e* (list (with procedure 'cl (list (with clause 'body body))))
    'body (with template-call 'e0 (reference-to rounds) 'e1 (map reference-to arguments))))

;; A procedure that ends with call/cc may be left through that continuation: uncounted code such as `map` would then
;; go on in the wrong context.  A frame that puts back what the caller had stands for the continuation, unless the one
;; there does so already: loops through call/cc stay loops.
(define in-frame #f)
(define frame-code #f)
(define (framed? continuation)
  (and (not (eq? continuation #%$null-continuation))
       (eq? (#%$continuation-return-code continuation) frame-code)))
(define (make-in-frame!)                ; it is assigned, so that its code is nowhere else
  (set! in-frame
    (lambda (capture receiver caller)
      (call-with-values (lambda () (capture receiver))
        (case-lambda
          [(value) (put-place! caller) value]
          [all (put-place! caller) (apply values all)]))))
  (in-frame call/cc (lambda (continuation) (set! frame-code (#%$continuation-return-code continuation)))
            (virtual-register place-register)))
(define (ending-in-frame capture)       ; call/cc or call/1cc
  (lambda (receiver caller)
    (if (procedure? receiver)
        (capture (lambda (continuation)
                   (if (framed? continuation)
                       (receiver continuation)
                       (in-frame capture receiver caller))))
        (capture receiver))))           ; an error
(define capturing-primitives
  (let ([framed (ending-in-frame call/cc)])
    (list (cons 'call/cc framed) (cons 'call-with-current-continuation framed)
          (cons 'call/1cc (ending-in-frame call/1cc)))))

(define (going-on point body-of)        ; at the top level: no call
  (if contexts?
      (let-variable (with (expanded '(car 1)) 'e0 (quoted go-on-at-top) 'e1 (list (quoted point)))
                    (lambda (own) (body-of (top-state own))))
      (let ([state (top-state (quoted point))]) (in-order (put-back state) (body-of state)))))

(define (go-on-at-top point)
  (let ([pair (virtual-register place-register)])
    (if (not (thread-known?))
        0
        (let* ([own (call-there host-go-on (from-of pair) point)] [twice (pair-of own own)])
          (set-virtual-register! place-register twice)
          twice))))

;;; ---- cost centres
;;;
;;; Source: Appendix A of P. M. Sansom, S. L. Peyton Jones, "Profiling lazy functional languages" (1992).

(define (current-centre)
  (let ([base (#3%virtual-register centre-register)])
    (if (#3%eq? base 0) 0 (#3%foreign-ref 'unsigned-32 base 0))))

(define (restore-centre! centre)
  (let ([base (#3%virtual-register centre-register)])
    (if (#3%eq? base 0) (void) (#3%foreign-set! 'unsigned-32 base 0 centre))))

;; Who leaves in another way restores the demander, and who comes back again is in the centre without entering it.
(define (in-centre demander thunk)
  (let ([own (current-centre)])
    (dynamic-wind
      (lambda () (restore-centre! own))
      thunk
      (lambda () (restore-centre! demander)))))

(define evaluate-in-centre              ; (scc "label" expression) calls it
  (lambda (key thunk)
    (let ([demander (current-centre)])
      (unless (eqv? (virtual-register centre-register) 0) (host-enter-centre key))
      (in-centre demander thunk))))

(define in-builders-centre              ; a promise's thunk
  (lambda (thunk)
    (let ([built (current-centre)])
      (lambda ()
        (let ([demander (current-centre)])
          (restore-centre! built)
          (in-centre demander thunk))))))

(define (expand-scc form)
  (syntax-case form ()
    [(scc label expression)
     (string? (syntax->datum #'label))
     (let* ([ruled (host-function-rule 1)] ; ASCRIBE_BY_CALLER
            [annotation (syntax->annotation form)] [source (and annotation (annotation-source annotation))]
            [path (if source (source-path source) "")])
       (with-syntax ([evaluate (datum->syntax #'scc evaluate-in-centre)]
                     [key (datum->syntax #'scc
                            (host-define-centre (syntax->datum #'label) (path-root (path-last path)) path
                                                (if source (source-line source) 0)))])
         #'('evaluate 'key (lambda () expression))))]))

;; For scripts, and for programs and libraries that import it from (ascribe).
(define (define-scc!)
  (eval `(library (ascribe) (export scc) (import (chezscheme)) (define-syntax scc ',expand-scc)) environment)
  (eval `(define-syntax scc ',expand-scc) environment))

;; The lambda that an `scc` was expanded to, or #f
(define (thunk-in-centre r)
  (let ([operator (get r 'e0)])
    (and (is? operator rtd-quote) (eq? (get operator 'd) evaluate-in-centre) (cadr (get r 'e1)))))

;;; ---- core forms

(define core #f)                        ; a port
(define (emit! . parts)
  (unless contexts?                     ; which know the calls
    (for-each (lambda (part) (display part core) (write-char #\space core)) parts)))

(define (key-of point) (bitwise-and point #xffffffffffff))

(define variables (make-weak-eq-hashtable))
(define globals (make-eq-hashtable))
(define (numbered table)
  (lambda (x)
    (or (hashtable-ref table x #f)
        (let ([number (hashtable-size table)]) (hashtable-set! table x number) number))))
(define variable-count 0)
(define (variable-number x)             ; entries of a weak table go
  (or (hashtable-ref variables x #f)
      (begin (set! variable-count (fx+ variable-count 1))
             (hashtable-set! variables x variable-count)
             variable-count)))
(define global-number (numbered globals))

;;; ---- primitives

;; These neither call a procedure nor keep or return one.
(define (name-table names)
  (let ([table (make-eq-hashtable)])
    (for-each (lambda (name) (hashtable-set! table name #t)) names)
    table))
(define plain-primitives
  (name-table '(+ - * / = < > <= >= abs add1 sub1 1+ 1- -1+ quotient remainder modulo div mod div0 mod0 max min gcd lcm
    number->string string->number exact inexact exact->inexact inexact->exact floor ceiling round truncate
    sqrt expt exp log sin cos tan atan asin acos logand logor logxor lognot ash
    not length string-length vector-length void newline char->integer integer->char
    string->symbol symbol->string eof-object random current-time real-time cpu-time
    string-ref string=? string<? string-append substring string-copy bytevector-u8-ref bytevector-u8-set!
    bytevector-length make-bytevector make-string string-set! random-seed
    eq? eqv? equal? null? pair? list? symbol? string? char? number? integer? rational? real? vector? procedure?
    boolean? zero? positive? negative? even? odd? exact? inexact? eof-object? fixnum? flonum? bignum?
    char=? char<? char>? char<=? char>=? char-alphabetic? char-numeric? char-whitespace? char-upcase char-downcase
    fx+ fx- fx* fx= fx< fx> fx<= fx>= fxquotient fxremainder fxmodulo fxlogand fxlogor fxlogxor fxsll fxsra fxsrl
    fx1+ fx1- fxzero? fxpositive? fxnegative? fxabs fxmax fxmin fxdiv fxmod fxeven? fxodd?
    fl+ fl- fl* fl/ fl= fl< fl> fl<= fl>= flabs flsqrt flsin flcos flatan flexp fllog flfloor flround flmax flmin
    fixnum->flonum flonum->fixnum)))

;; These call no procedure, but may keep or return one.  (What create-exception-state returns must not be bound: Chez 10
;; takes it for void then.)
(define quiet-primitives
  (name-table '(create-exception-state cons cons* list vector car cdr caar cadr cdar cddr caddr cdddr cadddr set-car! set-cdr! vector-ref vector-set!
    make-vector make-list list-ref list-tail append reverse memq memv assq assv box unbox set-box! values
    vector->list list->vector vector-fill! vector-copy list-copy last-pair append! reverse! remq remv
    make-eq-hashtable make-eqv-hashtable eq-hashtable-ref eq-hashtable-set! $top-level-value $set-top-level-value!
    $define-top-level-value $object-ref $object-set! record-accessor record-mutator record-constructor
    record-predicate csv7:record-field-accessor csv7:record-field-mutator make-record-type-descriptor make-record-constructor-descriptor make-parameter
    gensym string->list list->string fxvector-ref fxvector-set! make-fxvector flvector-ref flvector-set!
    make-flvector)))

;; These call procedures, or may, and return one value.
(define single-valued-primitives
  (name-table '(map for-each vector-map vector-for-each string-for-each sort list-sort vector-sort vector-sort! fold-left
    fold-right for-all exists andmap ormap filter remove remp find memp assp member assoc equal-hash
    display write newline write-char write-string put-string put-char printf fprintf format pretty-print
    hashtable-ref hashtable-set! hashtable-update! hashtable-contains? hashtable-delete! hashtable-keys
    make-hashtable flush-output-port)))
(define (single-valued? name) (and (not (eq? name 'values)) (or (quiet? name) (hashtable-ref single-valued-primitives name #f))))

(define (primitive r)                   ; its name, or #f
  (let ([r (without-counts r)]) (and (is? r rtd-primref) (get r 'name))))

(define (plain? name) (hashtable-ref plain-primitives name #f))
(define (quiet? name) (or (plain? name) (hashtable-ref quiet-primitives name #f)))

;; These reach globals by name: of what they do with the program's procedures nothing is known.
(define reaching-primitives
  (name-table '(interpret top-level-value set-top-level-value! define-top-level-value top-level-mutable?
    copy-environment environment-symbols $top-level-value $set-top-level-value! $define-top-level-value
    symbol-value load-program load-library load-compiled-from-port expand/optimize)))
(define reached? #f)                    ; it is in the recording
(define (note-reached!)                 ; before a form
  (unless (or reached? contexts?)
    (set! reached? #t)
    (host-core! "o ")))

;; Whether evaluating it calls nothing that could leave in another way, or come back again. A global that has a value
;; keeps one.
(define (simple? r)
  (let ([r (without-counts r)])
    (or (is? r rtd-ref) (is? r rtd-quote) (is? r rtd-lambda) (is? r rtd-primref)
        (and (is? r rtd-if) (simple? (get r 'e0)) (simple? (get r 'e1)) (simple? (get r 'e2)))
        (and (is? r rtd-call)
             (let ([name (primitive (get r 'e0))])
               (and name (quiet? name)
                    (andmap simple? (get r 'e1))
                    (or (not (eq? name '$top-level-value))
                        (let ([symbol (without-counts (car (get r 'e1)))])
                          (and (is? symbol rtd-quote) (#%$top-level-bound? (get symbol 'd)))))))))))

;;; ---- the pass
;;;
;;; where: tail; value; effect (any number of values, which nobody takes); values (any number)
;;; owner: the procedure's point; state: what is put back, or #f
;;; name: what the value is bound to: a variable, if it never has another value, or a symbol; or #f

(define (map-in-order f items)
  (if (null? items) '() (let ([first (f (car items))]) (cons first (map-in-order f (cdr items))))))

(define (source-of r)                   ; of an expression with its profile form, or a call
  (cond [(and (is? r rtd-seq) (is? (get r 'e0) rtd-profile)) (get (get r 'e0) 'src)]
        [(or (is? r rtd-call) (is? r rtd-lambda)) (let ([s (get (get r 'preinfo) 'src)]) (and (source-object? s) s))]
        [else #f]))

(define (walk r where owner state name)
  (cond
    [(is? r rtd-seq) (walk-seq r where owner state name)]
    [(is? r rtd-call) (walk-call r where owner state #f)]
    [(is? r rtd-ref) (emit! 'r (variable-number (get r 'x))) (leaving-before where state r)]
    [(is? r rtd-quote) (emit! (if (procedure? (get r 'd)) 'u 'q)) (leaving-before where state r)]
    [(is? r rtd-primref)
     (when (hashtable-ref reaching-primitives (get r 'name) #f) (note-reached!))
     (emit! (cond [(plain? (get r 'name)) 'q] [else 'u]))
     (leaving-before where state
       (case (get r 'name)
         [(fork-thread) (quoted fork-thread-here)]
         [(interpret) (quoted interpret-here)]
         [(expand/optimize) (quoted expand/optimize-here)]
         [(load) (quoted load-here)]
         [(make-engine) (quoted make-engine-here)]
         [(timer-interrupt-handler) (quoted timer-interrupt-handler-here)]
         [(keyboard-interrupt-handler) (quoted keyboard-interrupt-handler-here)]
         [(register-signal-handler) (quoted register-signal-handler-here)]
         [(current-expand) (quoted current-expand-here)]
         [(collect-request-handler) (quoted collect-request-handler-here)]
         [(virtual-register) (quoted virtual-register-here)]
         [(set-virtual-register!) (quoted set-virtual-register-here!)]
         [else r]))]
    [(is? r rtd-if) (walk-if r where owner state)]
    [(is? r rtd-lambda) (leaving-before where state (walk-lambda r owner name))]
    [(or (is? r rtd-letrec) (is? r rtd-letrec*))
     (let ([values (map-in-order
                    (lambda (binding)
                      (let* ([x (car binding)]
                             [new (walk (cdr binding) 'value owner state (if (assigned? x) (get x 'name) x))])
                        (emit! 'b (variable-number x))
                        new))
                    (map cons (get r 'x*) (get r 'e*)))])
       (with r 'e* values 'body (walk (get r 'body) where owner state name)))]
    [(is? r rtd-set!)
     (let ([new (walk (get r 'e) 'value owner state (get (get r 'x) 'name))])
       (emit! 'b (variable-number (get r 'x)) 'q)
       (leaving-after where state (with r 'e new)))]
    [(is? r rtd-profile) (count-source! (get r 'src) owner) (emit! 'q) r]
    [(and (named-so? r ":cte-optimization-loc") (has? r 'e)) ; an exported variable, for other libraries
     (leaving-after where state (with r 'e (walk (get r 'e) 'value owner state name)))]
    [else (walk-other r owner state)]))

(define (walk-seq r where owner state name)
  (let ([first (get r 'e0)])
    (cond
      [(is? first rtd-profile)
       (count-source! (get first 'src) owner)
       (set! nearest-source (get first 'src))
       (let ([rest (get r 'e1)])
         (with r 'e1 (if (is? rest rtd-call)
                         (walk-call rest where owner state (get first 'src))
                         (walk rest where owner state name))))]
      [else
       (let ([new (walk first 'effect owner state #f)])
         (emit! 'd)
         (with r 'e0 new 'e1 (walk (get r 'e1) where owner state name)))])))

(define (branch kind source within r)   ; counted, if its condition has a place
  (if source
      (counting (count! (new-place (owner-in within source) kind source)) r)
      r))

(define (walk-if r where owner state)
  (let ([source (source-of (get r 'e0))] [test (walk (get r 'e0) 'value owner state #f)])
    (emit! 'd)
    (let* ([true (walk (get r 'e1) where owner state #f)] [false (walk (get r 'e2) where owner state #f)])
      (emit! 'j)
      (let* ([true (branch place-true source owner true)] [false (branch place-false source owner false)])
        (with r 'e0 test 'e1 true 'e2 false)))))

;; A named let's procedure has no source of its own: it is the form's.
(define named-form #f)
(define (take-named-form!) (let ([source named-form]) (set! named-form #f) source))
(define (note-named-let! operator source)
  (let ([operator (without-counts operator)])
    (when (and (or (is? operator rtd-letrec) (is? operator rtd-letrec*)) (is? (without-counts (get operator 'body)) rtd-ref))
      (set! named-form source))))

(define nearest-source #f)              ; the last one that was met

;; Transformers that syntax-rules makes have no source, and the expander calls them, which would go on in their place.
(define expanding? (make-thread-parameter #f))

(define (walk-lambda r owner name)
  (let* ([form-source (take-named-form!)] [preinfo (get r 'preinfo)] [source (and (source-object? (get preinfo 'src)) (get preinfo 'src))]
         [whole? (or source form-source)]
         [source (or source form-source (first-source (get (car (get r 'cl)) 'body)) nearest-source)]
         [known (or (if (is? name rtd-prelex) (get name 'name) name) (get preinfo 'name))]
         [point (if (or source (not (expanding?)))
                    (new-function (cond [(symbol? known) (symbol->string known)] [(string? known) known] [else ""])
                                  source whole?)
                    0)])
    (if (zero? point)                   ; or there is no room
        (begin (emit! 'u) r)
        (let* ([entries (hashtable-ref entry-counters point #f)]
               [clauses (map-in-order
                         (lambda (clause)
                           (let ([new (walk-clause r clause point entries name)])
                             (emit-clause! clause)
                             new))
                         (get r 'cl))])
          (emit! 'l (key-of point) (length clauses))
          (with r 'cl clauses)))))

(define (walk-clause procedure clause point entries name)
  (let* ([x* (get clause 'x*)]
         [variable (and (is? name rtd-prelex) (fx= (get clause 'interface) (length x*)) (cons name (length x*)))]
         [arguments (map (lambda (x) (new-variable (get x 'name))) x*)]
         [rounds #f]
         [new (entering point variable
                (lambda (state)
                  (let ([body (walk (get clause 'body) 'tail point state #f)])
                    (set! rounds (state-rounds state))
                    (if rounds
                        (in-rounds procedure clause rounds (counting entries body) arguments)
                        body))))])
    (if rounds
        (with clause 'x* arguments 'body new)
        (with clause 'body (counting entries new)))))

(define (emit-clause! clause)
  (emit! 'k (length (get clause 'x*)) (if (fx< (get clause 'interface) 0) 1 0))
  (for-each (lambda (x) (emit! (variable-number x))) (get clause 'x*)))

(define (one-clause r) (and (is? r rtd-lambda) (null? (cdr (get r 'cl))) (car (get r 'cl))))

(define (let-form? r)                   ; ((lambda (x ...) body) e ...)
  (let ([clause (one-clause (get r 'e0))])
    (and clause (fx= (get clause 'interface) (length (get r 'e1))))))

(define (walk-call r where owner state source)
  (let* ([operator (get r 'e0)] [name (primitive operator)] [arguments (get r 'e1)])
    (cond
      [(let-form? r) (walk-let r where owner state)]
      [(thunk-in-centre r) => (lambda (thunk) (walk-in-centre r thunk where owner state))]
      [(and name (memq name '($top-level-value)) (is? (without-counts (car arguments)) rtd-quote))
       (keep-apart! (get (without-counts (car arguments)) 'd))
       (emit! 'g (global-number (get (without-counts (car arguments)) 'd)))
       (leaving-before where state r)]
      [(and name (memq name '($set-top-level-value! $define-top-level-value))
            (is? (without-counts (car arguments)) rtd-quote))
       (let* ([symbol (get (without-counts (car arguments)) 'd)]
              [new (walk (cadr arguments) 'value owner state symbol)])
         (emit! 'B (global-number symbol) 'q)
         (leaving-after where state (with r 'e1 (list (car arguments) new))))]
      [(and (eq? name 'call-with-values) (fx= (length arguments) 2) (one-clause (car arguments))
            (null? (get (one-clause (car arguments)) 'x*)) (is? (cadr arguments) rtd-lambda))
       (walk-values r where owner state)]
      [name (walk-primitive-call r name where owner state)]
      [else (walk-unknown-call r where owner state (or source (source-of r)))])))

;; Small procedures of libraries are inlined where they are imported, from what the compiler kept of them.  Those
;; compiled without counters are called instead.
(define (keep-apart! label)
  (define (inside? x rtd)
    (or (is? x rtd)
        (and (pair? x) (or (inside? (car x) rtd) (inside? (cdr x) rtd)))
        (and (record? x) (or (expression? x) (is? x rtd-clause) (named-so? x "cte-info")) (not (is? x rtd-quote))
             (ormap (lambda (accessor) (inside? (accessor x) rtd)) (shape-accessors (shape-of x))))))
  (let* ([box (#%$sgetprop label '*clo* #f)] [known (if (box? box) (unbox box) '())])
    (when (and (inside? known rtd-lambda) (not (inside? known rtd-profile)))
      (set-box! box '()))))

(define (walk-let r where owner state)
  (let* ([procedure (get r 'e0)] [clause (one-clause procedure)]
         [values (map-in-order
                  (lambda (binding)
                    (let ([new (walk (cdr binding) 'value owner state (get (car binding) 'name))])
                      (emit! 'b (variable-number (car binding)))
                      new))
                  (map cons (get clause 'x*) (get r 'e1)))]
         [body (walk (get clause 'body) where owner state #f)])
    (with r 'e0 (with procedure 'cl (list (with clause 'body body))) 'e1 values)))

;; As let-values is expanded: part of the procedure.
(define (walk-values r where owner state)
  (let* ([producer (car (get r 'e1))] [consumer (cadr (get r 'e1))] [clause (one-clause producer)]
         [new-producer (with producer 'cl (list (with clause 'body (walk (get clause 'body) 'values owner state #f))))])
    (emit! 'e)
    (let ([clauses (map-in-order
                    (lambda (clause)
                      (for-each (lambda (x) (emit! 'u 'b (variable-number x))) (get clause 'x*))
                      (let ([body (walk (get clause 'body) where owner state #f)])
                        (with clause 'body (if state (in-order (put-back state) body) body))))
                    (get consumer 'cl))])
      (do ([rest (cdr clauses) (cdr rest)]) ((null? rest)) (emit! 'j))
      (with r 'e1 (list new-producer (with consumer 'cl clauses))))))

;; Part of the procedure.
(define (walk-in-centre r thunk where owner state)
  (let* ([thunk (without-counts thunk)] [clause (one-clause thunk)]
         [body (walk (get clause 'body) (if (eq? where 'effect) 'value where) owner state #f)])
    (after-call
     (with r 'e1 (list (car (get r 'e1)) (with thunk 'cl (list (with clause 'body body)))))
     where state)))

(define (walk-arguments arguments owner state)
  (map-in-order (lambda (argument) (walk argument 'value owner state #f)) arguments))

(define (walk-primitive-call r name where owner state)
  (let* ([new-operator (walk (get r 'e0) 'value owner state #f)]
         [new-arguments (begin (emit! 'd) (keeping-centre name (walk-arguments (get r 'e1) owner state)))])
    (for-each (lambda (argument) (emit! (if (plain? name) 'd 'e))) (get r 'e1))
    (emit! (if (plain? name) 'q 'u))
    (let* ([capture (and (leaves? where state) (fx= (length new-arguments) 1) (assq name capturing-primitives))]
           [new (if capture
                    (capturing r (cdr capture) new-operator (car new-arguments) where state)
                    (before-operator (with r 'e0 new-operator 'e1 new-arguments)))]
           [called (if (or (quiet? name) (constructor-of-constant? name (get r 'e1))) new (after-call new where state))])
      (cond [(or (single-valued? name)
                 (and (eq? name 'apply) (pair? (get r 'e1)) (single-valued? (primitive (car (get r 'e1))))))
             (leaving-after where state called)]
            [(not (andmap simple? (get r 'e1))) called]
            [(eq? name 'values) (leaving-before where state called)]
            [(eq? name 'apply) (ending where state called)]
            [else called]))))

(define (capturing r capture operator receiver where state)
  (define (call receiver)
    (ending where state (with r 'e0 (quoted capture) 'e1 (list receiver (state-caller state)))))
  (let ([new (if (simple? receiver) (call receiver) (let-variable receiver call))])
    (if (is? operator rtd-seq) (with operator 'e1 new) new)))

;; As define-record-type without a protocol is expanded; a descriptor that is computed may have one, which is called.
(define (constructor-of-constant? name arguments)
  (and (eq? name 'r6rs:record-constructor) (andmap (lambda (x) (is? (without-counts x) rtd-quote)) arguments)))

;; What counts a primitive's name stands before its call: Chez warns of calls that cannot be right only where it
;; sees the name.
(define (before-operator call)
  (let ([operator (get call 'e0)])
    (cond [(and (is? operator rtd-seq) (is? (get operator 'e0) rtd-profile))
           (with operator 'e1 (before-operator (with call 'e0 (get operator 'e1))))]
          [evaluated?
           (in-schemes-order (cons operator (get call 'e1))
             (lambda (parts) (with call 'e0 (car parts) 'e1 (cdr parts))))]
          [else call])))

;; `delay` is expanded to ($make-promise (lambda () expression)).
(define (keeping-centre name arguments)
  (if (and (eq? name '$make-promise) (is? (without-counts (car arguments)) rtd-lambda))
      (list (with (expanded '(car 1)) 'e0 (quoted in-builders-centre) 'e1 arguments))
      arguments))

(define (after-call call where state)
  (cond [(not state) call]
        [(eq? where 'effect) (in-order call (put-back state))]
        [(eq? where 'value) (let-variable call (lambda (value) (in-order (put-back state) value)))]
        [else call]))                   ; where `values` are taken, who takes them does it

(define (walk-unknown-call r where owner state source)
  (note-named-let! (get r 'e0) source)
  (let* ([operator (walk (get r 'e0) 'value owner state #f)]
         [arguments (walk-arguments (get r 'e1) owner state)]
         [expression (and source (known-source source))]
         [within (or (and expression (expression-point expression)) (owner-in owner source))]
         [point (new-place within place-call source)])
    (emit! 'c (key-of point) (length arguments))
    (after-call
     (if (zero? point)
         (with r 'e0 operator 'e1 arguments)
         (let ([counter (count! point)])
           (counted-behind counter r operator arguments where state)))
     where state)))

(define (expression-point index)
  (let ([known (assv index expression-points)]) (and known (cdr known))))

;; The arguments are evaluated first, then the call is counted: an argument may leave, or come back again.  What counts
;; simple parts stands before all of them, where the compiler moves it, too (cpletrec's lift-profile-forms).
(define (counted-behind counter r operator arguments where state)
  (let lift ([rest (cons operator arguments)] [lifted '()])
    (cond [(null? rest)
           (in-schemes-order (reverse lifted)
             (lambda (parts) (counting counter (ending-call where state (with r 'e0 (car parts) 'e1 (cdr parts))))))]
          [(counted-atom? (car rest)) (with (car rest) 'e1 (lift (cons (get (car rest) 'e1) (cdr rest)) lifted))]
          [else (lift (cdr rest) (cons (car rest) lifted))])))

;; Variables for the parts of a call.  The last one is evaluated first, as the compiler has it mostly.  What stays where
;; it is is evaluated behind the variables.
(define (in-schemes-order parts body-of)
  (let bind ([rest (if evaluated? (append (by-pairs (cdr parts)) (list (car parts))) (reverse parts))] [bound '()])
    (cond [(null? rest)
           (body-of (map (lambda (part) (let ([known (assq part bound)]) (if known (cdr known) part))) parts))]
          [(if evaluated? (constant? (car rest)) (stays? (car rest) (cdr rest))) (bind (cdr rest) bound)]
          [else (let-variable (car rest) (lambda (x) (bind (cdr rest) (cons (cons (car rest) x) bound))))])))

(define (stays? part later)             ; later: parts that are evaluated behind it, which may change what it reads
  (and (simple? part) (or (read-late? part) (andmap simple? later))))
(define (read-late? r)
  (let ([r (without-counts r)])
    (cond [(is? r rtd-ref) (not (assigned? (get r 'x)))]
          [(is? r rtd-call)             ; the compiler takes loads from memory for simple
           (and (eqv? (optimize-level) 3)
                (or (atom? r)
                    (and (memq (primitive (get r 'e0)) '(car cdr caar cadr cdar cddr caddr unbox vector-ref fxvector-ref))
                         (andmap read-late? (get r 'e1)))))]
          [else (atom? r)])))

;; Forms without procedures are not compiled, unless they are counted: Chez evaluates their parts by `map`, which takes
;; pairs of them, the last pair first (compile.ss, cheat-eval).
(define evaluated? #f)                  ; in such a form
(define (evaluated-form? r)
  (let ([r (without-counts r)])
    (cond [(is? r rtd-call) (and (evaluated-form? (get r 'e0)) (andmap evaluated-form? (get r 'e1)))]
          [(is? r rtd-if) (andmap (lambda (name) (evaluated-form? (get r name))) '(e0 e1 e2))]
          [(is? r rtd-seq) (and (evaluated-form? (get r 'e0)) (evaluated-form? (get r 'e1)))]
          [else (constant? r)])))
(define (constant? r)
  (let ([r (without-counts r)]) (or (is? r rtd-quote) (is? r rtd-primref))))
(define (by-pairs items)
  (if (or (null? items) (null? (cdr items)))
      items
      (append (by-pairs (cddr items)) (list (car items) (cadr items)))))

(define (counted-atom? r) (and (is? r rtd-seq) (is? (get r 'e0) rtd-profile) (atom? r)))
(define (atom? r)
  (let ([r (without-counts r)])
    (or (is? r rtd-ref) (is? r rtd-quote) (is? r rtd-primref) (is? r rtd-lambda)
        (and (is? r rtd-call) (eq? (primitive (get r 'e0)) '$top-level-value)))))

;; Others: what they have is evaluated; nothing is known of the result.
(define (walk-other r owner state)
  (let ([children 0])
    (define (child x)
      (set! children (fx+ children 1))
      (let ([new (walk x 'value owner state #f)]) (emit! 'e) new))
    (let ([new (apply (shape-make (shape-of r))
                      (map-in-order
                       (lambda (accessor)
                         (let ([x (accessor r)])
                           (cond [(expression? x) (child x)]
                                 [(and (pair? x) (list? x) (andmap expression? x)) (map-in-order child x)]
                                 [else x])))
                       (shape-accessors (shape-of r))))])
      (emit! 'u)
      (if (and (named-so? r ":foreign:") (equal? (get r 'name) "fork"))
          (with (expanded '(car 1)) 'e0 (quoted forks) 'e1 (list new))
          new))))

;;; ---- what stands at the top level

(define (first-source r)                ; the outermost source, or #f
  (let find ([r r] [depth 0])
    (cond [(fx> depth 6) #f]
          [(is? r rtd-seq) (if (is? (get r 'e0) rtd-profile) (get (get r 'e0) 'src) (or (find (get r 'e0) (fx+ depth 1)) (find (get r 'e1) (fx+ depth 1))))]
          [(is? r rtd-call) (or (source-of r) (ormap (lambda (x) (find x (fx+ depth 1))) (get r 'e1)))]
          [(is? r rtd-lambda) (source-of r)]
          [(or (is? r rtd-letrec) (is? r rtd-letrec*))
           (or (ormap (lambda (x) (find x (fx+ depth 1))) (get r 'e*)) (find (get r 'body) (fx+ depth 1)))]
          [else #f])))

(define (defines-only? r)
  (let ([r (without-counts r)])
    (cond [(is? r rtd-seq) (and (defines-only? (get r 'e0)) (defines-only? (get r 'e1)))]
          [(is? r rtd-call)
           (and (memq (primitive (get r 'e0)) '($set-top-level-value! $define-top-level-value))
                (let ([x (without-counts (cadr (get r 'e1)))]) (or (is? x rtd-lambda) (is? x rtd-quote))))]
          [else (or (is? r rtd-quote) (is? r rtd-lambda))])))

;; What stands around programs: records of another language, Lexpand.
(define (outer? r) (named-so? r "Lexpand:"))
(define (instrument-outer r)
  (apply (shape-make (shape-of r))
         (map-in-order
          (lambda (accessor)
            (let ([x (accessor r)])
              (cond [(expression? x) (instrument x)]
                    [(outer? x) (instrument-outer x)]
                    [else x])))
          (shape-accessors (shape-of r)))))

;; One that is evaluated now.
(define (instrument-form r)
  (set! evaluated? (and (compile-interpret-simple) (evaluated-form? r)))
  (let ([new (instrument r)])
    (set! evaluated? #f)
    new))
(define (instrument r)
  (let* ([source (first-source r)] [top (top-function (and source (source-object-sfd source)))])
    (set! expression-points '())
    (set! core (open-output-string))
    (#%$uncprep r #t)                   ; calls remember how messages show them: as they are in the program
    (let ([new (if (or (zero? top) (defines-only? r))
                   (walk r 'values top #f #f)
                   (going-on top (lambda (state) (walk r 'values top state #f))))])
      (emit! 'e)
      (host-core! (get-output-string core))
      (set! core #f)
      (claim-counters!)
      new)))

;; A library's body, whose lambda the expander made: it is the top level of its file.
(define (instrument-body procedure)
  (let ([clause (one-clause procedure)])
    (with procedure 'cl (list (with clause 'body (instrument (get clause 'body)))))))
(define (body? r)
  (let ([clause (one-clause r)])
    (and clause (null? (get clause 'x*)) (not (source-of r)) (first-source (get clause 'body)) #t)))
