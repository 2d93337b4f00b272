;;; A compiler extension for CHICKEN (csc -X): procedures enter their contexts and leave them, and
;;; calls put contexts back, by the inline procedures of include/ascribe/chicken.h.
;;; Source: O. Waddell, J. M. Ashley, "Visualizing the performance of higher-order programs", section
;;; 3, for the places where a cost centre is put back; tail calls are told apart beside it.
;;;
;;; - When the source is read, the range of each list is kept; the compiler itself keeps its line.
;;; - The user's pass changes the expanded program. Each lambda of the source begins there with a debug
;;;   event that has its name and place.
;;; - After the first analysis, C declarations with all names, kinds and ranges are added to the C file.
;;;
;;; A procedure's `state` is a fixnum in a variable of its own: its own context and its caller's. So
;;; continuations that are entered again have it.
;;; - Before a value is returned, and before a tail call: the caller's context is put back.
;;; - After a call that is no tail call: the own one.
;;; - A tail call of a procedure of this file keeps the own one, and says what is to be put back at
;;;   the end: so loops are recursive calls, and state machines call their next states.
;;;
;;; With the feature ascribe-counts (ascribe csc --counts) procedures enter no contexts: as in section 3 of that
;;; paper, entries and calls are counted, and one word has the point of the running procedure, which is put back
;;; behind calls that are no tail calls. `state` is then that point. What was expanded goes into the recording as
;;; core forms (src/flow/core_forms.h), from which callers follow.
;;;
;;; Cost centres are apart from that: promises and (scc "label" expression) follow Appendix A of P. M. Sansom,
;;; S. L. Peyton Jones, "Profiling lazy functional languages" (1992).
;; What the extension calls is not kept for error messages; it is faster so, too.
(define ascribe-debug-level (##sys#eval-debug-level))
(##sys#eval-debug-level 0)

(module ascribe-instrument ()

(import scheme (chicken base) (chicken condition) (chicken fixnum) (chicken format) (chicken io) (chicken pathname) (chicken platform)
        (chicken process-context) (chicken port) (chicken string)
        (chicken syntax) (chicken compiler user-pass))

(define counts-expressions? (feature? #:ascribe-expressions))
(define counts-only? (feature? #:ascribe-counts))

;;; ---- source ranges: (line column end-line end-column), from 1, the end being the first behind it

;; Where lists end -> where they begin: a vector by line of alists by column.
(define (scan-lists file)
  (let* ((text (call-with-input-file file (lambda (port) (read-all port)) #:binary))
         (size (string-length text))
         (ends (make-vector (+ 2 (count-lines text size)) '()))
         (line 1)
         (start 0))                     ; of the line
    (define (at i) (if (fx< i size) (string-ref text i) #\nul))
    (define (newline-at! i) (set! line (fx+ line 1)) (set! start (fx+ i 1)))
    (define (skip-string i close)
      (cond ((fx>= i size) i)
            ((char=? (at i) close) (fx+ i 1))
            ((char=? (at i) #\\)
             (when (char=? (at (fx+ i 1)) #\newline) (newline-at! (fx+ i 1)))
             (skip-string (fx+ i 2) close))
            (else (when (char=? (at i) #\newline) (newline-at! i))
                  (skip-string (fx+ i 1) close))))
    (define (skip-line i)
      (if (or (fx>= i size) (char=? (at i) #\newline)) i (skip-line (fx+ i 1))))
    (define (skip-comment i depth)
      (cond ((or (fx>= i size) (fx= depth 0)) i)
            ((and (char=? (at i) #\|) (char=? (at (fx+ i 1)) #\#)) (skip-comment (fx+ i 2) (fx- depth 1)))
            ((and (char=? (at i) #\#) (char=? (at (fx+ i 1)) #\|)) (skip-comment (fx+ i 2) (fx+ depth 1)))
            (else (when (char=? (at i) #\newline) (newline-at! i))
                  (skip-comment (fx+ i 1) depth))))
    (define (skip-here-text i)          ; behind #<< or #<#
      (let ((tag (substring text i (skip-line i))))
        (let next ((i (skip-line i)))
          (cond ((fx>= i size) i)
                (else (newline-at! i)
                      (let ((end (skip-line (fx+ i 1))))
                        (if (string=? (substring text (fx+ i 1) end) tag) end (next end))))))))
    (define (close! i open)
      (vector-set! ends line (cons (cons (fx+ 1 (fx- i start)) (car open)) (vector-ref ends line)))
      (cdr open))
    (let scan ((i 0) (open '()))
      (when (fx< i size)
        (case (at i)
          ((#\newline) (newline-at! i) (scan (fx+ i 1) open))
          ((#\( #\[ #\{) (scan (fx+ i 1) (cons (cons line (fx- i start)) open)))
          ((#\) #\] #\}) (scan (fx+ i 1) (if (pair? open) (close! i open) open)))
          ((#\;) (scan (skip-line i) open))
          ((#\") (scan (skip-string (fx+ i 1) #\") open))
          ((#\|) (scan (skip-string (fx+ i 1) #\|) open))
          ((#\#)
           (case (at (fx+ i 1))
             ((#\\) (when (char=? (at (fx+ i 2)) #\newline) (newline-at! (fx+ i 2)))
                    (scan (fx+ i 3) open))
             ((#\|) (scan (skip-comment (fx+ i 2) 1) open))
             ((#\<) (scan (if (memv (at (fx+ i 2)) '(#\< #\#)) (skip-here-text (fx+ i 3)) (fx+ i 2))
                          open))
             ((#\!) (scan (if (and (fx= i 0) (memv (at 2) '(#\/ #\space))) (skip-line i) (fx+ i 2)) open))
             (else (scan (fx+ i 1) open))))
          (else (scan (fx+ i 1) open)))))
    ends))

(define (read-all port)
  (let next ((parts '()))
    (let ((part (read-string 65536 port)))
      (if (or (eof-object? part) (string=? part ""))
          (string-intersperse (reverse parts) "")
          (next (cons part parts))))))

(define (count-lines text size)
  (let next ((i 0) (lines 0))
    (if (fx= i size)
        lines
        (next (fx+ i 1) (if (char=? (string-ref text i) #\newline) (fx+ lines 1) lines)))))

;; What the compiler keeps of a list is a text, "file:line", that is a new one for each: from it to
;; the range, by the text itself. In buckets by line.
(define buckets 4096)
(define ranges (make-vector buckets '()))

(define (keep-range! text line head range)
  (let ((bucket (modulo line buckets)))
    (vector-set! ranges bucket (cons (cons text (cons head range)) (vector-ref ranges bucket)))))

(define (known-range text)              ; (head . range) or #f
  (let ((known (assq text (vector-ref ranges (modulo (line-of text) buckets)))))
    (and known (cdr known))))

(define (line-of text)
  (let ((parts (string-split text ":" #t)))
    (or (string->number (car (reverse parts))) 0)))

(define (file-of text)
  (string-intersperse (reverse (cdr (reverse (string-split text ":" #t)))) ":"))

(define (range-of text)
  (let ((known (known-range text)))
    (if known (cdr known) (list (line-of text) 0 0 0))))

(define (line-database) ##sys#line-number-database)

(define (note-line! form text)
  (let ((old (or (chicken.internal#hash-table-ref (line-database) (car form)) '())))
    (chicken.internal#hash-table-set! (line-database) (car form) (cons (cons form text) old))))

;; The compiler's reader calls `note` when it has read a list; `ends` is #f where there is no range.
(define (note-list file port ends)
  (lambda (class form line)
    (when (and (eq? class 'list-info) (pair? form) (symbol? (car form)))
      (let-values (((end-line end-column) (port-position port)))
        (let ((text (conc file ":" line))
              (open (and (fx< end-line (vector-length ends))
                         (assv end-column (vector-ref ends end-line)))))
          (when open
            (keep-range! text line (car form) (list (cadr open) (fx+ 1 (cddr open)) end-line (fx+ 1 end-column))))
          (note-line! form text)
          (note-named! form text))))
    (when (list? form)
      (for-each (lambda (x) (when (symbol? x) (chicken.internal#hash-table-set! in-source x #t))) form))
    form))

(define in-source '())                  ; a table of the symbols that are read

;; Forms that make procedures, whose places the compiler does not always keep: a table from names to
;; places, (text file . range). Those without a name are under `lambda`.
(define named-forms '())

(define (conditional variable) (string->symbol (conc "if " variable)))

(define (place-of text) (cons text (cons (file-of text) (range-of text))))

(define (note-named! form text)
  (define (note! name)
    (let ((old (or (chicken.internal#hash-table-ref named-forms name) '())))
      (chicken.internal#hash-table-set! named-forms name (cons (place-of text) old))))
  (let ((what (and (pair? (cdr form)) (cadr form))))
    (case (car form)
      ((let) (when (symbol? what) (note! what)))
      ((define) (cond ((symbol? what) (note! what))
                      ((and (pair? what) (symbol? (car what))) (note! (car what)))))
      ((define-external)                ; with or without words for C before the name
       (let ((what (if (and (string? what) (pair? (cddr form))) (caddr form) what)))
         (when (and (pair? what) (symbol? (car what))) (note! (car what)))))
      ((if when unless) (when (symbol? what) (note! (conditional what))))
      ((and or cond case) (note! 'and))
      ((lambda) (note! 'lambda)))))

(define (read-file file)
  (fluid-let ((##sys#current-source-filename file))
    (let* ((ends (scan-lists file))
           (port (chicken.compiler.support#check-and-open-input-file file))
           (note (note-list file port ends)))
      (let next ((forms '()))
        (let ((form (##sys#read port note)))
          (cond ((eof-object? form)
                 (chicken.compiler.support#close-checked-input-file port file)
                 (reverse forms))
                (else (next (cons form forms)))))))))

;; The compiler's procedure for `include`: ours reads the file once more, as the others are read.
(define (reading-ranges include)
  (lambda (filename source with-forms)
    (include filename source
             (lambda (forms . path)
               (let ((forms (read-file (if (pair? path) (car path) ##sys#current-source-filename))))
                 (for-each note-definitions! forms)
                 (apply with-forms forms path))))))

;; Errors in what is read end the compiler as it ends itself, but without the calls that were made last:
;; they are ours.
(define (without-history thunk)
  (condition-case (thunk)
    (e (exn)
     (print-error-message e (current-error-port) "Error")
     (exit 70))))

(define (parse text) (with-input-from-string text read))

;;; ---- procedures of this file: those that are known to be instrumented

(define own-procedures '())             ; a table by name, from what is read

(define (note-definitions! form)
  (when (and (pair? form) (list? form) (symbol? (car form)))
    (case (car form)
      ((define)
       (when (pair? (cdr form))
         (let ((what (cadr form)) (value (and (pair? (cddr form)) (caddr form))))
           (cond ((and (pair? what) (symbol? (car what))) (note-own! (car what)))
                 ((and (symbol? what) (pair? value) (eq? (car value) 'lambda)) (note-own! what))))))
      ((begin) (for-each note-definitions! (cdr form)))
      ((module) (when (and (pair? (cdr form)) (pair? (cddr form)))
                  (for-each note-definitions! (cdddr form)))))))

(define (note-own! name)
  (chicken.internal#hash-table-set! own-procedures name #t))

;; "module#name" -> name
(define (base-name symbol)
  (let* ((text (symbol->string symbol)) (size (string-length text)))
    (let next ((i (fx- size 2)))
      (cond ((fx< i 1) symbol)
            ((char=? (string-ref text i) #\#) (string->symbol (substring text (fx+ i 1) size)))
            (else (next (fx- i 1)))))))


;; What an expanded expression binds: from variables to their values; and from values that are
;; variables to what they are assigned to: as letrec is expanded, that is the name in the source.
(define (bindings-in expression)
  (let ((values (make-vector 997 '())) (names (make-vector 997 '())))
    (define (note! variable value)
      (unless (equal? value '(##core#undefined))
        (chicken.internal#hash-table-set!
         values variable
         (cons value (or (chicken.internal#hash-table-ref values variable) '()))))
      (when (symbol? value) (chicken.internal#hash-table-set! names value variable)))
    (let walk ((x expression))
      (when (and (pair? x) (list? x))
        (case (car x)
          ((quote ##core#primitive ##core#callunit ##core#provide ##core#debug-event) #f)
          ((let) (for-each (lambda (b) (note! (car b) (cadr b)) (walk (cadr b))) (cadr x))
                 (for-each walk (cddr x)))
          ((set! ##core#set!) (note! (cadr x) (caddr x)) (walk (caddr x)))
          ((lambda ##core#lambda) (walk (caddr x)))
          (else (for-each walk x)))))
    (cons values names)))

(define bindings #f)                    ; of the expression that is walked

(define (lambda? x) (and (pair? x) (memq (car x) '(lambda ##core#lambda)) #t))

(define (last-of x)                     ; the expression that has the value of x
  (cond ((not (pair? x)) x)
        ((eq? (car x) 'let) (last-of (car (reverse (cddr x)))))
        ((and (memq (car x) '(begin ##core#begin)) (pair? (cdr x))) (last-of (car (reverse (cdr x)))))
        (else x)))

;; The lambda that an operator always is, behind the variable that is bound to it or #f; #t: a
;; procedure of this file; #f: not known.
(define (callee operator)
  (and (symbol? operator)
       (or (chicken.internal#hash-table-ref own-procedures (base-name operator))
           (let next ((variable operator) (depth 0))
             (let* ((values (chicken.internal#hash-table-ref (car bindings) variable))
                    (value (and values (null? (cdr values)) (last-of (car values)))))
               (cond ((lambda? value) (cons (and (eq? value (car values)) variable) value))
                     ((and value (symbol? value) (fx< depth 4)) (next value (fx+ depth 1)))
                     (else #f)))))))

;;; ---- points: (kind within name text), the first being number 1

(define points '())
(define point-count 0)
(define counters '())                   ; the points that are counted
(define counter-count 0)

(define (new-point! kind within name text)
  (set! points (cons (list kind within name text) points))
  (set! point-count (fx+ point-count 1))
  point-count)

(define (variable-name variable)        ; as it is read
  (base-name (strip-syntax (or (chicken.compiler.support#get-real-name variable) variable))))

(define (source-name variable dest)
  (let* ((assigned (and variable (or (chicken.internal#hash-table-ref (cdr bindings) variable) variable)))
         (known (and assigned (chicken.compiler.support#get-real-name assigned)))
         (name (or known dest))
         (read (and name (base-name (strip-syntax name)))))
    (if (and read (chicken.internal#hash-table-ref in-source read)) (symbol->string read) "")))

;;; ---- expanded expressions

(define (fresh) (gensym 'ascribe))
(define (inline name . arguments) `(##core#inline ,name ,@arguments))
(define (in-order first . rest)         ; the value is the last one's
  (if (null? rest) first `(let ((,(fresh) ,first)) ,(apply in-order rest))))
(define (put-back-caller state) (inline "ascribe_scheme_leave" state))
(define (put-back-own state) (if counts-only? (at state) (inline "ascribe_scheme_reload" state)))

(define (call-text x)                   ; what the compiler knows of a call's place
  (let ((known (and (symbol? (car x)) (chicken.internal#hash-table-ref (line-database) (car x)))))
    (and known (let ((entry (assq x (if (symbol? (car known)) (cdr known) known))))
                 (and entry (cdr entry))))))

;; The place of a call that stands in the source. What a macro makes has that of the macro's use, which is no
;; place of its own: several calls have it. Imports may put something before a name.
(define (own-text x)
  (let* ((text (call-text x)) (known (and text (known-range text))))
    (and known
         (let* ((head (symbol->string (strip-syntax (car known)))) (name (symbol->string (variable-name (car x))))
                (before (fx- (string-length head) (string-length name))))
           (and (fx>= before 0) (string=? (substring head before (string-length head)) name) text)))))

;; A call that stands for another keeps its place: messages and trace points name it.
(define (at-place-of old new)
  (let ((text (call-text old)) (known (chicken.internal#hash-table-ref (line-database) (car old))))
    (when text
      (chicken.internal#hash-table-set!
       (line-database) (car old)
       (if (symbol? (car known))
           (cons (car known) (cons (cons new text) (cdr known)))
           (cons (cons new text) known))))
    new))

;; Procedures that return, and call nothing of the program's: the standard ones but those that take
;; procedures, ports' ones that may run the program's, and what does not come back; and some others.
(define calling-back
  '(scheme#apply scheme#map scheme#for-each scheme#call-with-current-continuation scheme#call/cc
    scheme#dynamic-wind scheme#call-with-values scheme#values scheme#eval scheme#load scheme#force
    scheme#make-promise scheme#call-with-input-file scheme#call-with-output-file
    scheme#with-input-from-file scheme#with-output-to-file scheme#read scheme#read-char
    scheme#peek-char scheme#char-ready? scheme#write scheme#write-char scheme#display scheme#newline
    scheme#vector-map scheme#vector-for-each scheme#string-map scheme#string-for-each scheme#exit))

(define returning
  '(chicken.base#add1 chicken.base#sub1 chicken.base#fixnum? chicken.base#flonum? chicken.base#bignum?
    chicken.base#ratnum? chicken.base#cplxnum? chicken.base#exact-integer? chicken.base#nan?
    chicken.base#finite? chicken.base#infinite? chicken.base#atom? chicken.base#void chicken.base#vector-resize
    ##sys#slot ##sys#setslot ##sys#setislot ##sys#size ##sys#structure? ##sys#check-structure
    ##sys#block-ref ##sys#make-structure ##sys#immediate?))

(define (returns? operator)
  (and (symbol? operator)
       (let ((text (symbol->string operator)))
         (define (of? module)
           (let ((size (string-length module)))
             (and (fx> (string-length text) size) (string=? (substring text 0 size) module))))
         (or (and (of? "scheme#") (not (memq operator calling-back)))
             (memq operator returning)
             (of? "chicken.fixnum#") (of? "chicken.flonum#") (of? "chicken.bitwise#")))))

(define (simple? x) (or (not (pair? x)) (eq? (car x) 'quote) (lambda? x)))

;; The call, with what is to be done when its arguments are there.
(define (when-ready operations new old)
  (define (call parts)
    (cond ((memq (car old) '(##core#app ##core#callunit)) (cons (car old) parts))
          ((symbol? (car old)) (at-place-of old parts))
          (else parts)))
  (define (ordered x) (if (null? operations) x (apply in-order (append operations (list x)))))
  (let next ((parts new) (ready '()) (bound '()))
    (cond ((null? operations) (call new))
          ((pair? parts)
           (if (simple? (car parts))
               (next (cdr parts) (cons (car parts) ready) bound)
               (let ((variable (fresh)))
                 (next (cdr parts) (cons variable ready) (cons (list variable (car parts)) bound)))))
          (else
           (let bind ((bound bound) (body (ordered (call (reverse ready)))))
             (if (null? bound) body (bind (cdr bound) `(let (,(car bound)) ,body))))))))

;; `state`: the variable that has the procedure's contexts; #f: outside of all. `within`: the
;; procedure's point.
(define (walk x tail? state within)
  (define (sub y) (walk y #f state within))
  (define (last-in-tail forms)
    (if (null? (cdr forms))
        (list (walk (car forms) tail? state within))
        (cons (sub (car forms)) (last-in-tail (cdr forms)))))
  (cond
   ((not (pair? x)) (value x tail? state))
   ((not (symbol? (car x))) (call x (map sub x) (car x) tail? state within))
   (else
    (case (car x)
      ((if) (let ((text (condition-text x within)))
              `(if ,(sub (cadr x))
                   ,(branch 'true (caddr x) text tail? state within)
                   ,(branch 'false (cadddr x) text tail? state within))))
      ((let) `(let ,(map (lambda (b) (list (car b) (bound (cadr b) (car b) state within))) (cadr x))
                ,@(last-in-tail (cddr x))))
      ((begin ##core#begin) (if (null? (cdr x)) x (cons (car x) (last-in-tail (cdr x)))))
      ((set! ##core#set!)
       (value (list (car x) (cadr x)
                    (bound (or (called-from-c (caddr x)) (caddr x)) (cadr x) state within))
              tail? state))
      ((lambda ##core#lambda) (value (procedure x #f state within) tail? state))
      ((##sys#make-promise)
       (if (and (pair? (cdr x)) (lambda? (cadr x)))
           (promise x tail? state within)
           (call x (cons (car x) (map sub (cdr x))) (car x) tail? state within)))
      ((##core#debug-event) '(##core#undefined))
      ((##core#the) `(##core#the ,(cadr x) ,(caddr x) ,(walk (cadddr x) tail? state within)))
      ((##core#typecase)
       `(##core#typecase ,(cadr x) ,(sub (caddr x))
                         ,@(map (lambda (clause)
                                  (list (car clause) (walk (cadr clause) tail? state within)))
                                (cdddr x))))
      ((##core#inline ##core#inline_update ##core#inline_loc_update ##core#inline_allocate
        ##core#inline_loc_ref)
       (if (member (cadr x) in-centre-marks)
           (in-centre (cadr x) (caddr x) (cadddr x) tail? state within)
           (value `(,(car x) ,(cadr x) ,@(map sub (cddr x))) tail? state)))
      ;; The compiler keeps all arguments of the lambda that C calls only if it finds it as it made
      ;; it, and as the value of the variable that define-external defines.
      ((##core#foreign-callback-wrapper) (value (called-back x) tail? state))
      ((##core#callunit) (call x (cdr x) #f tail? state within))
      ((##core#app) (call x (map sub (cdr x)) (last-of (cadr x)) tail? state within))
      ((quote ##core#undefined ##core#primitive ##core#provide ##core#inline_ref ##core#proc)
       (value x tail? state))
      (else
       (call x (cons (car x) (map sub (cdr x))) (car x) tail? state within))))))

;; What define-external makes, where the value is bound to another variable before it is assigned.
(define (called-from-c x)
  (and (pair? x) (eq? (car x) 'let) (pair? (cadr x))
       (let ((variable (car (car (cadr x)))) (value (cadr (car (cadr x)))))
         (and (pair? value) (eq? (car value) '##core#foreign-callback-wrapper) (eq? (last-of x) variable)
              value))))

;; Its last part is the lambda, the first the name.
(define (called-back x)
  (let* ((parts (reverse x)) (procedure (car parts)) (event (entry-event (caddr procedure))))
    (reverse (cons (instrumented procedure (symbol->string (base-name (cadr (cadr x)))) (and event (caddr event)))
                   (cdr parts)))))

(define (value x tail? state)
  (cond ((or counts-only? (not (and tail? state))) x)
        ((simple? x) (in-order (put-back-caller state) x))
        (else (let ((variable (fresh)))
                `(let ((,variable ,x)) ,(in-order (put-back-caller state) variable))))))

(define (call old new operator tail? state within)
  (let* ((callee (callee operator))
         (executed (counting-of old within))
         (counting (append executed (call-counting old operator callee within)))
         (returned (if (null? executed) '() (cdr executed))))
    (define (after . operations) (when-ready (append counting operations) new old))
    (define (back x)
      (let ((variable (fresh)))
        `(let ((,variable ,x)) ,(apply in-order (put-back-own state) (append returned (list variable))))))
    (cond ((not state) (after))
          ((eq? (car old) '##core#callunit) (back (call-unit old)))
          (counts-only? (if (or tail? (returns? operator) (loop? callee)) (after) (back (after))))
          ((or (returns? operator) (loop? callee)) (value (after) tail? state))
          (callee
           (let ((site `(quote ,(new-point! 'call within "" (site-text old callee)))))
             (if tail?
                 (after (inline "ascribe_scheme_tail_call" state site))
                 (back (after (inline "ascribe_scheme_call" site))))))
          (tail? (after (inline "ascribe_scheme_leave_charged" state)))
          (else (back (after))))))

;; A named let calls its procedure where it stands.
(define (site-text old callee)
  (if (and (eq? (car old) '##core#app) (pair? callee) (not (entry-event (cadddr callee))))
      (form-text (named-let-name (car callee)) (first-text (cadddr callee)))
      (call-text old)))

;; Calls that the equations are about: of procedures that are not the library's.
(define (call-counting old operator callee within)
  (if (and counts-only? within (not (eq? (car old) '##core#callunit)) (not (loop? callee)) (not (library? operator)))
      (list (counting! 'call (site-text old callee) within))
      '()))

(define (bound x variable state within)
  (if (lambda? x) (procedure x variable state within) (walk x #f state within)))

;;; ---- counters of expressions

(define (counted! point)                ; the counter's number
  (set! counter-count (fx+ counter-count 1))
  (set! counters (cons point counters))
  (fx- counter-count 1))

;; Of a call, its point is behind the counter.
(define call-mark "ascribe_scheme_count_call")
(define (counting! kind text within)
  (let* ((point (new-point! kind within "" text)) (number (counted! point)))
    (if (eq? kind 'call)
        (inline call-mark `(quote ,number) `(quote ,point))
        (inline "ascribe_scheme_count" `(quote ,number)))))

(define (at point) (inline "ascribe_scheme_at" `(quote ,point)))

;; A list of what is to be done when the call is made; the point is then the newest.
(define (counting-of x within)
  (let ((text (and counts-expressions? within (not (memq (car x) '(##core#app ##core#callunit)))
                   (own-text x))))
    (if text
        (let ((counting (counting! 'expression text within)))
          (list counting (at point-count)))
        '())))

;; The place of a condition: its own, or if it is a variable of the source, that of the form whose condition
;; it is: the closest one around what it chooses. Not if that form has an `and` or the like around it, whose
;; condition it may be as well.
(define (condition-text x within)
  (let ((condition (cadr x)))
    (and counts-expressions? within
         (cond ((pair? condition) (and (symbol? (car condition)) (own-text condition)))
               ((not (symbol? condition)) #f)
               (else
                (let* ((name (variable-name condition)) (inner (or (first-text (caddr x)) (first-text (cadddr x))))
                       (form (and inner (chicken.internal#hash-table-ref in-source name) (form-around (conditional name) inner)))
                       (other (and form (form-around 'and inner))))
                  (and form (not (and other (contains? (range-of form) (range-of other)))) form)))))))

(define (branch kind x text tail? state within)
  (let ((new (walk x tail? state within)))
    (if text (in-order (counting! kind text within) new) new)))

;;; ---- procedures

(define (first-text x)                  ; of the first call in it whose place is known
  (and (pair? x) (not (eq? (car x) 'quote))
       (or (and (symbol? (car x)) (call-text x))
           (and (list? x)
                (let next ((parts (if (eq? (car x) 'let) (append (map cadr (cadr x)) (cddr x)) (cdr x))))
                  (and (pair? parts) (or (and (not (lambda? (car parts))) (first-text (car parts)))
                                         (next (cdr parts)))))))))

;; The form that makes the procedure of that name: of those around `inner`, a place in it, the
;; closest; where no place is known, the only one.
(define (form-text name inner)
  (let ((places (forms-of (string->symbol name))))
    (cond (inner (or (form-around (string->symbol name) inner) inner))
          ((and (pair? places) (null? (cdr places))) (caar places))
          (else #f))))

(define (forms-of key)
  (or (chicken.internal#hash-table-ref named-forms key) '()))

(define (form-around key inner)
  (let ((file (file-of inner)) (range (range-of inner)))
    (let next ((places (forms-of key)) (found #f))
      (cond ((null? places) (and found (car found)))
            ((and (contains? (cddar places) range)
                  (string=? (cadar places) file)
                  (or (not found) (contains? (cddr found) (cddar places))))
             (next (cdr places) (car places)))
            (else (next (cdr places) found))))))

(define (contains? outer inner)
  (and (before? (car outer) (cadr outer) (car inner) (cadr inner))
       (before? (caddr inner) (cadddr inner) (caddr outer) (cadddr outer))))

(define (before? line column other-line other-column)
  (or (fx< line other-line) (and (fx= line other-line) (fx<= column other-column))))

;; The compiler's mark where a lambda of the source begins. Loops have none (named let, do).
(define (entry-event body)
  (and (pair? body)
       (case (car body)
         ((##core#debug-event) (and (eq? (cadr body) 'C_DEBUG_ENTRY) body))
         ((begin ##core#begin) (and (pair? (cdr body)) (entry-event (cadr body))))
         ((let) (if (pair? (cadr body)) (entry-event (cadr (car (cadr body)))) (entry-event (caddr body))))
         (else #f))))

(define (named-let-name variable)
  (let ((name (and variable (source-name variable #f))))
    (and name (not (string=? name "")) name)))

;; Whether it is part of the procedure that it stands in: `do`, `for-each` and others that the
;; compiler makes; the source does not have their names.
(define (loop? callee)
  (and (pair? callee) (not (entry-event (cadddr callee)))
       (not (named-let-name (car callee)))))

(define (procedure x variable state within)
  (let ((event (entry-event (caddr x))))
    (cond
     (event (instrumented x (source-name variable (and (pair? (cdddr event)) (cadddr event)))
                          (caddr event)))
     ((named-let-name variable) => (lambda (name) (instrumented x name #f)))
     ((profiled? (caddr x)) `(,(car x) ,(cadr x) ,(walk (caddr x) #f #f within)))
     (else `(,(car x) ,(cadr x) ,(walk (caddr x) #f state within))))))

;; What -profile puts around a procedure, which is in it.
(define (profiled? body)
  (and (pair? body) (eq? (car body) '##sys#dynamic-wind) chicken.compiler.core#emit-profile))

(define (instrumented x name known)
  (let* ((form (if (string=? name "") "lambda" name))
         (text (or known (form-text form (first-text (caddr x)))))
         (point (new-point! 'function 0 name text))
         (state (if counts-only? point (fresh))))
    `(,(car x) ,(cadr x)
      (let ((,(if counts-only? (fresh) state) ,(if counts-only? (entering point) (inline "ascribe_scheme_enter" `(quote ,point)))))
        ,(let ((body (walk (caddr x) #t state point)))
           (if (and counts-expressions? (not counts-only?)) (in-order (at point) body) body))))))

(define entry-mark "ascribe_scheme_enter_counted")
(define (entering point)
  (inline entry-mark `(quote ,point) `(quote ,(counted! point))))

;;; ---- cost centres: (label module text), the first being number 0

(define centres '())
(define centre-count 0)

(define (new-centre! label text)
  (let ((module (##sys#current-module)))
    (set! centres
      (cons (list label (if module (symbol->string (##sys#module-name module)) (pathname-file (file-of text))) text)
            centres))
    (set! centre-count (fx+ centre-count 1))
    (fx- centre-count 1)))

;; (scc "label" expression) is expanded to a mark, (##core#inline MARK 'number expression), that the walk takes off.
(define scc-mark "ascribe_scheme_scc")
(define thunk-mark "ascribe_scheme_enter_thunk") ; its number is the centre that the promise keeps
(define in-centre-marks (list scc-mark thunk-mark))

(define (expand-scc form rename same?)
  (##sys#check-syntax 'scc form '(_ string _))
  `(##core#inline ,scc-mark
                  (quote ,(new-centre! (cadr form) (or (call-text form) (conc ##sys#current-source-filename ":1"))))
                  ,(caddr form)))

;; In programs and in modules.
(define (define-scc!)
  (let ((entry (##sys#extend-macro-environment 'scc '() (##sys#er-transformer expand-scc))))
    (set! ##sys#initial-macro-environment (cons (cons 'scc entry) ##sys#initial-macro-environment))))

;; The mark enters the centre and says whom to restore. Who leaves in another way restores that one, and who
;; comes back again is in the centre without entering it.
(define (in-centre mark centre x tail? state within)
  (let ((demander (fresh)) (own (fresh)))
    (define (wound body)
      `(let ((,demander ,(inline mark centre)))
         (let ((,own ,(inline "ascribe_scheme_built")))
           (##sys#dynamic-wind
            (##core#lambda () ,(inline "ascribe_scheme_restore" own))
            (##core#lambda () ,body)
            (##core#lambda () ,(inline "ascribe_scheme_restore" demander))))))
    (cond ((not state) (wound (walk x #f #f within)))
          (tail? (wound (walk x #t state within)))
          (else (let ((variable (fresh)))
                  `(let ((,variable ,(wound (walk x #f state within))))
                     ,(in-order (put-back-own state) variable)))))))

;; What `delay` and `delay-force` make: (##sys#make-promise (lambda () expression)).
(define (promise x tail? state within)
  (let* ((thunk (cadr x)) (body (caddr thunk)) (built (fresh)) (event (entry-event body))
         (charged `(##core#inline ,thunk-mark ,built ,body)))
    `(let ((,built ,(inline "ascribe_scheme_built")))
       ,(value (list (car x)
                     (procedure (list (car thunk) (cadr thunk) (if event (in-order event charged) charged)) #f state within))
               tail? state))))

;;; ---- what stands at the top level

(define top 0)                          ; its point
(define beginning-mark '(##core#inline "ascribe_scheme_begin"))

(define (defines-only? x)
  (or (not (pair? x)) (memq (car x) '(quote ##core#undefined ##core#provide ##core#primitive))
      (and (memq (car x) '(set! ##core#set!)) (defines-only? (caddr x)))
      (lambda? x)
      (and (eq? (car x) 'let) (pair? (cadr x)) (null? (cdr (cadr x)))
           (defines-only? (cadr (car (cadr x)))) (defines-only? (caddr x)))
      (and (memq (car x) '(begin ##core#begin)) (not (memq #f (map defines-only? (cdr x)))))
      (eq? (car x) '##core#debug-event)))

(define (top-level x)
  (set! bindings (bindings-in x))
  (let ((new (walk-top-level x)))
    (when (and counts-only? (not (equal? x beginning-mark))) (flow new #f) (emit! 'e))
    new))

(define (walk-top-level x)
  (cond ((equal? x beginning-mark) (beginning))
        ((defines-only? x) (walk x #f #f #f))
        (counts-only? (in-order (at top) (walk x #f top top)))
        (else (let ((state (fresh)) (variable (fresh)))
                `(let ((,state ,(inline "ascribe_scheme_enter_top")))
                   (let ((,variable ,(walk x #f state top)))
                     ,(in-order (put-back-caller state) variable)))))))

;; In a process that is recorded, who is interrupted goes on in its contexts, and threads that begin
;; meanwhile are called by nobody. The scheduler puts a hook of its own over the one that it finds
;; when its unit is called; so ours is put over that again. A thread that goes on does so in its cost centre, and
;; one that begins in none. The variable of a file that exports others only, or that is a block, would be its
;; own: so it is the symbol's value.
(define (counting-name name) (if counts-only? (string-append name "_counted") name))
(define hook '(##sys#slot (quote ascribe#hook) (quote 0)))
(define (beginning)
  (let ((old (fresh)) (reason (fresh)) (state (fresh)) (own (fresh)) (goes (fresh)) (new (fresh)))
    `(if (##core#inline "ascribe_scheme_begin")
         (let ((,(fresh)
                (##sys#setslot 'ascribe#hook '0
                  (##core#lambda ()
                    (let ((,(fresh) ,(switching)))
                    (let ((,old (##sys#slot '##sys#interrupt-hook '0)))
                      (##sys#setslot '##sys#interrupt-hook '0
                        (##core#lambda (,reason ,state)
                          (let ((,own (##core#inline ,(counting-name "ascribe_scheme_interrupted"))))
                            (let ((,goes (##core#inline "ascribe_scheme_take_replaced")))
                              (,old ,reason
                                    (##core#lambda ()
                                      (let ((,(fresh) (##core#inline ,(counting-name "ascribe_scheme_resume") ,own ,goes)))
                                        (if (scheme#procedure? ,state)
                                            (,state)
                                            (##sys#context-switch ,state)))))))))))))))
           (,hook))
         (##core#undefined))))

;; The scheduler's own procedure, if it is there: a thread's slot 1 is the procedure by which it goes on.
(define (switching)
  (let ((old (fresh)) (centre (fresh)) (goes-on (fresh)) (thread '##sys#current-thread))
    `(let ((,old (##sys#slot '##sys#schedule '0)))
       (if (scheme#procedure? ,old)
           (##sys#setslot '##sys#schedule '0
             (##core#lambda ()
               (let ((,centre ,(inline "ascribe_scheme_enter_thunk" ''0)))
                 (let ((,goes-on (##sys#slot ,thread '1)))
                   ,(in-order
                     `(##sys#setslot ,thread '1
                        (##core#lambda () ,(in-order (inline "ascribe_scheme_restore" centre) (list goes-on))))
                     (list old))))))
           (##core#undefined)))))

(define (call-unit x)
  (in-order x `(if (##core#inline "ascribe_scheme_recorded") (,hook) (##core#undefined))))

;;; ---- core forms, of what the walk has made
;;;
;;; Calls and procedures have a point or none; of a point, '@' and its number stand for its key in the recording.

(define core '())                       ; words, the last one first
(define (emit! . words) (set! core (append (reverse words) core)))

(define locals '())                     ; a table from variables to their numbers
(define local-count 0)
(define file-hash 0)

(define (hash-of text bound)
  (let next ((i 0) (hash 7))
    (if (fx= i (string-length text))
        hash
        (next (fx+ i 1) (modulo (fx+ (fx* hash 131) (char->integer (string-ref text i))) bound)))))

(define (bind-local! variable)
  (set! local-count (fx+ local-count 1))
  (let ((number (fx+ (fx* file-hash 16777216) local-count)))
    (chicken.internal#hash-table-set! locals variable number)
    number))

(define (local variable) (chicken.internal#hash-table-ref locals variable))
(define (global variable) (hash-of (symbol->string variable) 9007199254740992)) ; 2^53, in each file

(define (begins? text start)
  (let ((size (string-length start)))
    (and (fx>= (string-length text) size) (string=? (substring text 0 size) start))))

;; A name of CHICKEN's own that the file does not assign.
(define (library? operator)
  (and (symbol? operator)
       (let ((text (symbol->string operator)))
         (or (begins? text "scheme#") (begins? text "chicken.") (begins? text "##sys#")))
       (not (chicken.internal#hash-table-ref (car bindings) operator))))

;; These neither keep nor return a procedure.
(define plain
  '(scheme#+ scheme#- scheme#* scheme#/ scheme#= scheme#< scheme#> scheme#<= scheme#>= scheme#eq? scheme#eqv? scheme#equal?
    scheme#not scheme#null? scheme#pair? scheme#symbol? scheme#string? scheme#char? scheme#number? scheme#vector?
    scheme#procedure? scheme#boolean? scheme#zero? scheme#positive? scheme#negative? scheme#even? scheme#odd?
    scheme#quotient scheme#remainder scheme#modulo scheme#abs scheme#max scheme#min scheme#length scheme#string-length
    scheme#vector-length scheme#string-ref scheme#char=? scheme#char<? scheme#char->integer scheme#integer->char
    scheme#string=? scheme#string-append scheme#number->string scheme#sqrt scheme#exact->inexact scheme#inexact->exact
    chicken.base#add1 chicken.base#sub1 chicken.base#void ##sys#check-list ##sys#size))
(define (plain? operator)
  (and (library? operator)
       (or (memq operator plain)
           (let ((text (symbol->string operator)))
             (or (begins? text "chicken.fixnum#") (begins? text "chicken.flonum#") (begins? text "chicken.bitwise#"))))))

;; These reach globals by name.
(define (reaching? operator)
  (or (memq operator '(scheme#eval scheme#load chicken.load#load chicken.load#load-relative chicken.load#load-noisily
                       chicken.load#load-library chicken.load#require chicken.repl#repl))
      (begins? (symbol->string operator) "chicken.memory.representation#")))

(define core-units                      ; they use no global of the program's
  '(library eval expand extras lolevel file files posix port pathname irregex data-structures tcp srfi-4 scheduler
    profiler repl read-syntax internal chicken-syntax chicken-ffi-syntax debugger-client build-version modules))

(define open? #f)                       ; other code may use and assign every global, by its name

(define (flow x key)                    ; key: of the call that x is, or #f
  (cond
   ((symbol? x) (flow-variable x))
   ((not (pair? x)) (emit! 'q))
   ((not (symbol? (car x))) (flow-call (car x) (cdr x) key))
   (else
    (case (car x)
      ((if)
       (flow (cadr x) #f)
       (emit! 'd)
       (flow (caddr x) #f)
       (flow (cadddr x) #f)
       (emit! 'j))
      ((let)
       (let ((mark (call-key x)))
         (for-each (lambda (b) (flow (cadr b) #f) (emit! 'b (bind-local! (car b)))) (cadr x))
         (flow-sequence (cddr x) (or mark key))))
      ((begin ##core#begin) (if (null? (cdr x)) (emit! 'q) (flow-sequence (cdr x) key)))
      ((set! ##core#set!)
       (flow (caddr x) #f)
       (let ((known (local (cadr x))))
         (if known (emit! 'b known 'q) (emit! 'B (global (cadr x)) 'q))))
      ((lambda ##core#lambda) (flow-lambda x))
      ((quote ##core#undefined ##core#provide ##core#debug-event) (emit! 'q))
      ((##core#the) (flow (cadddr x) key))
      ((##core#typecase)
       (flow (caddr x) #f)
       (emit! 'd)
       (let ((clauses (cdddr x)))
         (for-each (lambda (clause) (flow (cadr clause) #f)) clauses)
         (do ((rest (cdr clauses) (cdr rest))) ((null? rest)) (emit! 'j))))
      ((##core#callunit)
       (unless (memq (string->symbol (->string (cadr x))) core-units) (set! open? #t))
       (emit! 'u))
      ((##core#app) (flow-call (cadr x) (cddr x) key))
      ((##core#inline ##core#inline_update ##core#inline_loc_update ##core#inline_allocate ##core#inline_loc_ref)
       (if (begins? (cadr x) "ascribe_") (emit! 'q) (flow-unseen (cddr x))))
      ((##core#foreign-callback-wrapper) (flow-unseen (list (car (reverse x)))))
      ((##core#primitive ##core#inline_ref ##core#proc) (emit! 'u))
      (else
       (cond ((begins? (symbol->string (car x)) "##core#") (flow-unseen (cdr x)))
             ((not (library? (car x))) (flow-call (car x) (cdr x) key))
             (else
              (flow-variable (car x))
              (emit! 'd)
              (if (plain? (car x))
                  (begin (for-each (lambda (y) (flow y #f) (emit! 'd)) (cdr x)) (emit! 'q))
                  (flow-unseen (cdr x))))))))))

;; (let ((x (##core#inline MARK 'counter 'point))) call)
(define (call-key x)
  (let ((value (and (pair? (cadr x)) (null? (cdr (cadr x))) (cadr (car (cadr x))))))
    (and (pair? value) (eq? (car value) '##core#inline) (equal? (cadr value) call-mark) (cadr (cadddr value)))))

(define (flow-variable x)
  (when (reaching? x) (set! open? #t))
  (cond ((local x) => (lambda (number) (emit! 'r number)))
        ((library? x) (emit! (if (plain? x) 'q 'u)))
        (else (emit! 'g (global x)))))

(define (flow-sequence forms key)
  (cond ((null? (cdr forms)) (flow (car forms) key))
        (else (flow (car forms) #f) (emit! 'd) (flow-sequence (cdr forms) key))))

(define (flow-unseen forms)             ; whatever they are given to
  (for-each (lambda (y) (unless (string? y) (flow y #f) (emit! 'e))) forms)
  (emit! 'u))

(define (flow-call operator arguments key)
  (flow operator #f)
  (for-each (lambda (y) (flow y #f)) arguments)
  (emit! 'c (if key (conc "@" key) 0) (length arguments)))

(define (flow-lambda x)
  (let* ((parameters (cadr x)) (body (caddr x))
         (entry (and (pair? body) (eq? (car body) 'let) (pair? (cadr body)) (cadr (car (cadr body)))))
         (point (and (pair? entry) (eq? (car entry) '##core#inline) (equal? (cadr entry) entry-mark) (cadr (caddr entry)))))
    (let bind ((rest parameters) (numbers '()))
      (if (pair? rest)
          (bind (cdr rest) (cons (bind-local! (car rest)) numbers))
          (let ((numbers (reverse (if (null? rest) numbers (cons (bind-local! rest) numbers)))))
            (flow-sequence (cddr x) #f)
            (apply emit! 'k (length numbers) (if (null? rest) 0 1) numbers)
            (emit! 'l (if point (conc "@" point) 0) 1))))))

;; In texts of a few hundred characters that end behind a word.
(define (core-texts)
  (let next ((words (reverse (if open? (append core '(o)) core))) (size 0) (piece '()) (texts '()))
    (define (text) (string-intersperse (reverse (cons "" piece)) " "))
    (cond ((null? words) (reverse (if (null? piece) texts (cons (text) texts))))
          ((fx> size 400) (next words 0 '() (cons (text) texts)))
          (else
           (let ((word (->string (car words))))
             (next (cdr words) (fx+ size (fx+ 1 (string-length word))) (cons word piece) texts))))))

;;; ---- the C text

(define (c-text text)
  (string-append
   "\""
   (string-intersperse
    (map (lambda (c)
           (let ((code (fxand 255 (char->integer c))))
             (cond ((memv c '(#\" #\\)) (string #\\ c))
                   ((or (fx< code 32) (fx> code 126) (char=? c #\?))
                    (let ((digits (number->string code 8)))
                      (string-append "\\" (make-string (fx- 3 (string-length digits)) #\0) digits)))
                   (else (string c)))))
         (string->list text))
    "")
   "\""))

(define (absolute file)
  (if (absolute-pathname? file) file (make-pathname (current-directory) file)))

(define kinds
  '((function . "0") (call . "ASCRIBE_CALL") (expression . "ASCRIBE_EXPRESSION")
    (true . "ASCRIBE_BRANCH_TRUE") (false . "ASCRIBE_BRANCH_FALSE")))

(define (point-text point)
  (let* ((text (cadddr point)) (range (if text (range-of text) '(0 0 0 0))))
    (apply sprintf "  {~A, ~A, {~A, ~A, ~A, ~A}, ~A, ~A},\n"
           (append (list (cdr (assq (car point) kinds)) (cadr point))
                   range
                   (list (c-text (if text (absolute (file-of text)) "")) (c-text (caddr point)))))))

(define (centre-text centre)
  (let ((text (caddr centre)))
    (sprintf "  {~A, ~A, ~A, ~A},\n" (c-text (car centre)) (c-text (cadr centre)) (c-text (absolute (file-of text)))
             (car (range-of text)))))

;; Tables end with one entry more: there are no empty arrays.
(define (c-declarations)
  (let ((directory (get-environment-variable "ASCRIBE_INCLUDE")))
    (string-append
     "#include " (if directory (c-text (string-append directory "/ascribe/chicken.h")) "<ascribe/chicken.h>") "\n"
     "static const struct ascribe_scheme_point ascribe_scheme_texts[] = {\n"
     "  {0, 0, {0, 0, 0, 0}, 0, 0},\n"
     (string-intersperse (map point-text (reverse points)) "")
     "};\n"
     (sprintf "static ascribe_point ascribe_scheme_points[~A];\n" (fx+ point-count 1))
     (sprintf "static const uint32_t ascribe_scheme_counted[] = {~A};\n"
              (string-intersperse (map number->string (append (reverse counters) '(0))) ", "))
     "static const struct ascribe_scheme_centre ascribe_scheme_centre_texts[] = {\n"
     (string-intersperse (map centre-text (reverse centres)) "")
     "  {0, 0, 0, 0},\n"
     "};\n"
     (sprintf "static ascribe_cost_centre ascribe_scheme_centres[~A];\n" (fx+ centre-count 1))
     "static const char *const ascribe_scheme_core[] = {\n"
     (if counts-only? (string-intersperse (map (lambda (text) (string-append "  " (c-text text) ",\n")) (core-texts)) "") "")
     "  0,\n"
     "};\n"
     (sprintf "static volatile uint64_t ascribe_scheme_uncounted[~A], *ascribe_scheme_counters = ascribe_scheme_uncounted;\n"
              (fx+ counter-count 1))
     "static volatile ascribe_point ascribe_scheme_nowhere, *ascribe_scheme_running = &ascribe_scheme_nowhere;\n")))

;;; ---- the passes

(define (read-all-forms prelude files postlude)
  (set! own-procedures (make-vector 997 '()))
  (set! named-forms (make-vector 997 '()))
  (set! in-source (make-vector 997 '()))
  (set! locals (make-vector 4999 '()))
  (set! file-hash (hash-of (absolute (car files)) 536870912))
  (set! open? (or (feature? #:chicken-compile-shared) (and chicken.compiler.core#unit-name #t)))
  (set! top (new-point! 'function 0 "(top level)" (conc (car files) ":1")))
  (set! ##sys#include-forms-from-file (reading-ranges ##sys#include-forms-from-file))
  (set! chicken.compiler.core#emit-debug-info #t) ; until the expanded program is walked
  (when chicken.compiler.core#emit-profile (keep-profiled))
  (let ((forms (append (map parse prelude)
                       (apply append (without-history (lambda () (map read-file files))))
                       (map parse postlude))))
    (for-each note-definitions! forms)
    (cons beginning-mark forms)))

;; With -profile: the compiler wraps the lambdas that variables are defined as, but not where the event of an
;; assignment comes in between. So there are events of lambdas alone: the first of these procedures is called
;; before the compiler asks for the one, the second before it asks for the other.
(define (keep-profiled)
  (let ((alias ##sys#alias-global-hook) (canonicalize ##sys#canonicalize-body))
    (set! ##sys#alias-global-hook
      (lambda (name assigned? . rest)
        (when assigned? (set! chicken.compiler.core#emit-debug-info #f))
        (apply alias name assigned? rest)))
    (set! ##sys#canonicalize-body
      (lambda arguments
        (let ((body (apply canonicalize arguments)))
          (unless walks? (set! chicken.compiler.core#emit-debug-info #t))
          body)))))

(define walks? #f)                      ; the passes that expand are over
(define is-declared? #f)

(register-feature! #:ascribe)
(define-scc!)
(user-read-pass read-all-forms)
(user-pass
 (lambda (x)
   (set! walks? #t)
   (set! chicken.compiler.core#emit-debug-info #f)
   (top-level x)))
(user-post-analysis-pass
 (lambda ignored
   (unless is-declared?
     (set! is-declared? #t)
     (set! chicken.compiler.core#foreign-declarations
       (append chicken.compiler.core#foreign-declarations (list (c-declarations)))))))
)

(##sys#eval-debug-level ascribe-debug-level)
