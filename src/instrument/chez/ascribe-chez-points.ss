;;; Points and counters of the recording, by struct ascribe_host (ascribe/host.h), whose functions are called
;;; at the places that `said` has.

(define mode (car said))                ; script, program, files or compile
(define contexts-wanted? (cadr said))
(define (number-of name) (cdr (assq name (cddr said))))

(define host #f)                        ; struct ascribe_host, as the runtime filled it

(define (host-begins?)
  (load-shared-object #f)
  (and (foreign-entry? "ascribe_host_loaded")
       (let ([bytes (number-of 'bytes)])
         (set! host (foreign-alloc bytes))
         (do ([i 0 (fx+ i 1)]) ((fx= i bytes)) (foreign-set! 'unsigned-8 host i 0))
         (foreign-set! 'unsigned-32 host 0 (number-of 'version))
         ((foreign-procedure "ascribe_host_loaded" (uptr) void) host)
         (not (zero? (foreign-ref 'integer-64 host (number-of 'context)))))))

(define-syntax host-procedure           ; made when it is called first
  (lambda (form)
    (syntax-case form ()
      [(_ name (type ...) result)
       (with-syntax ([(argument ...) (generate-temporaries #'(type ...))])
         #'(let ([made #f])
             (lambda (argument ...)
               (unless made
                 (set! made (foreign-procedure (foreign-ref 'uptr host (number-of 'name)) (type ...) result)))
               (made argument ...))))])))

(define host-world (host-procedure world (utf-8) unsigned-32))
(define host-file (host-procedure file (unsigned-32 utf-8) unsigned-32))
;; A struct ascribe_range goes in two registers.
(define host-function
  (host-procedure function (unsigned-32 utf-8 unsigned-32 unsigned-64 unsigned-64) unsigned-64))
(define host-place (host-procedure place (unsigned-64 unsigned-32 unsigned-64 unsigned-64) unsigned-64))
(define host-counters (host-procedure counters (u8* unsigned-32) uptr))
(define host-running (host-procedure running (uptr) void))
(define host-own-code (host-procedure own_code (uptr uptr) void))
(define host-go-on (host-procedure go_on (unsigned-64) unsigned-32))
(define host-enter (host-procedure enter (fixnum fixnum) unsigned-32))

(define host-define-centre (host-procedure define_centre (utf-8 utf-8 utf-8 unsigned-32) unsigned-64))
(define host-enter-centre (host-procedure enter_centre (unsigned-64) unsigned-32))
(define host-function-rule (host-procedure function_rule (unsigned-32) void))

(define host-core
  (let ([made #f])
    (lambda (text)
      (unless made (set! made (foreign-procedure "ascribe_host_core" (unsigned-32 utf-8) void)))
      (made world text))))

;; In pieces that end behind a word.
(define (host-core! text)
  (let ([size (string-length text)])
    (let next ([start 0])
      (when (fx< start size)
        (if (fx<= (fx- size start) 900)
            (host-core (substring text start size))
            (let back ([end (fx+ start 900)])
              (if (char=? (string-ref text (fx- end 1)) #\space)
                  (begin (host-core (substring text start end)) (next end))
                  (back (fx- end 1)))))))))

(define place-call 1)                   ; enum ascribe_place_kind
(define place-expression 2)
(define place-true 3)
(define place-false 4)

(define world 0)

;;; ---- from characters of a file to lines, and columns in bytes

(define-record-type file (fields number text starts) (nongenerative) (sealed #t))
(define files (make-weak-eq-hashtable))      ; source file descriptor -> file

(define (in-directory directory path)
  (if (path-absolute? path) path (string-append directory "/" path)))
(define kept-directories (make-weak-eq-hashtable)) ; of what was compiled ahead: where its path begins
(define kept-texts (make-weak-eq-hashtable))       ; and what it contains
(define (absolute sfd)
  (in-directory (hashtable-ref kept-directories sfd (current-directory)) (source-file-descriptor-path sfd)))

(define (read-source sfd)
  (guard (e [#t #f])
    (let* ([directory (hashtable-ref kept-directories sfd #f)]
           [port (parameterize ([source-directories
                                 (if directory (cons directory (source-directories)) (source-directories))])
                   (open-source-file sfd))])
      (and port
           (let ([text (get-string-all port)])
             (close-port port)
             (if (string? text) text ""))))))

(define (line-starts text)
  (let ([size (string-length text)])
    (let next ([i 0] [starts '(0)])
      (cond [(fx= i size) (list->vector (reverse starts))]
            [(char=? (string-ref text i) #\newline) (next (fx+ i 1) (cons (fx+ i 1) starts))]
            [else (next (fx+ i 1) starts)]))))

(define (file-of sfd)
  (or (hashtable-ref files sfd #f)
      (let* ([text (or (hashtable-ref kept-texts sfd #f) (read-source sfd))]
             [file (make-file (host-file world (absolute sfd)) text
                              (and text (line-starts text)))])
        (hashtable-set! files sfd file)
        file)))

(define (utf-8-bytes text from to)
  (let next ([i from] [bytes 0])
    (if (fx= i to)
        bytes
        (let ([code (char->integer (string-ref text i))])
          (next (fx+ i 1) (fx+ bytes (cond [(fx< code 128) 1] [(fx< code 2048) 2] [(fx< code 65536) 3] [else 4])))))))

;; Line and column of a character, in a word as struct ascribe_range has them; 0: not known.
(define (place-in file position)
  (let ([text (file-text file)] [starts (file-starts file)])
    (if (and text (fx<= position (string-length text)))
        (let search ([low 0] [high (vector-length starts)])
          (if (fx= (fx+ low 1) high)
              (bitwise-ior (fx+ low 1)
                           (bitwise-arithmetic-shift-left
                            (fx+ 1 (utf-8-bytes text (vector-ref starts low) position)) 32))
              (let ([middle (fxdiv (fx+ low high) 2)])
                (if (fx<= (vector-ref starts middle) position) (search middle high) (search low middle)))))
        0)))

;;; ---- points

(define (source-range source receive)   ; file number and the range's two words
  (if source
      (let ([file (file-of (source-object-sfd source))])
        (receive (file-number file)
                 (place-in file (source-object-bfp source)) (place-in file (source-object-efp source))))
      (receive 0 0 0)))

;; Line and file of a source, as texts that a user knows.
(define (source-line source)
  (bitwise-and #xffffffff (place-in (file-of (source-object-sfd source)) (source-object-bfp source))))
(define (source-path source) (absolute (source-object-sfd source)))

;; By function: its source file descriptor.
(define function-files (make-eqv-hashtable))

;; `whole?`: the source is all of it; else where it is, about.
(define (new-function name source whole?)
  (source-range source
    (lambda (file start end)
      (let ([point (host-function world name file start (if whole? end 0))])
        (unless (zero? point)
          (when source (hashtable-set! function-files point (source-object-sfd source)))
          (hashtable-set! entry-counters point (count! point)))
        point))))
(define entry-counters (make-eqv-hashtable)) ; by function: the index of its counter

;; A place is in the file of its function: where a macro of another file made the code, it stands there, at
;; the top level.
(define (owner-in function source)
  (if (and source (not (eq? (hashtable-ref function-files function #f) (source-object-sfd source))))
      (top-function (source-object-sfd source))
      function))

(define (new-place within kind source)
  (source-range source (lambda (file start end) (host-place within kind start end))))

;;; ---- counters
;;;
;;; Each has an index.  A counter of ours is a profile form whose source is [index, index] of a file that does
;;; not exist; those of the program's expressions are found by their source.

(define own-sfd (make-source-file-descriptor "(ascribe)" (open-bytevector-input-port (bytevector))))
(define sources (make-eq-hashtable))    ; source object -> index
(define places (make-hashtable equal-hash equal?)) ; (sfd start . end) -> index
(define count 0)
(define addresses (make-vector 1000 0)) ; by index: of the counter in the recording; 0: none
(define waiting '())                    ; points whose counters are to be claimed, the last one first
(define waiting-count 0)

(define (count! point)                  ; returns the index
  (when (fx= count (vector-length addresses))
    (let ([more (make-vector (fx* 2 count) 0)])
      (do ([i 0 (fx+ i 1)]) ((fx= i count)) (vector-set! more i (vector-ref addresses i)))
      (set! addresses more)))
  (set! waiting (cons point waiting))
  (set! waiting-count (fx+ waiting-count 1))
  (set! count (fx+ count 1))
  (fx- count 1))

(define (claim-counters!)
  (when (fx> waiting-count 0)
    (let ([points (make-bytevector (fx* 8 waiting-count))] [first (fx- count waiting-count)])
      (do ([rest waiting (cdr rest)] [i (fx- waiting-count 1) (fx- i 1)]) ((null? rest))
        (bytevector-u64-native-set! points (fx* 8 i) (car rest)))
      (let ([address (host-counters points waiting-count)])
        (unless (zero? address)
          (do ([i 0 (fx+ i 1)]) ((fx= i waiting-count))
            (vector-set! addresses (fx+ first i) (+ address (fx* 8 i))))))
      (set! waiting '())
      (set! waiting-count 0))))

(define (source-key source)
  (cons (source-object-sfd source) (cons (source-object-bfp source) (source-object-efp source))))

(define (known-source source)           ; its index, or #f
  (or (hashtable-ref sources source #f)
      (let ([index (hashtable-ref places (source-key source) #f)])
        (when index (hashtable-set! sources source index))
        index)))

(define (count-source! source within)
  (or (known-source source)
      (let* ([point (new-place (owner-in within source) place-expression source)] [index (count! point)])
        (hashtable-set! sources source index)
        (hashtable-set! places (source-key source) index)
        (set! expression-points (cons (cons index point) expression-points))
        index)))

(define expression-points '())          ; of what is expanded now: (index . point)

(define (own-source index) (make-source-object own-sfd index index))

(define (index-of source)
  (if (eq? (source-object-sfd source) own-sfd)
      (source-object-bfp source)
      (or (known-source source) (count-source! source (top-function (source-object-sfd source))))))

(define tops (make-weak-eq-hashtable))  ; source file descriptor -> its point
(define no-file-top #f)
(define (top-function sfd)
  (if sfd
      (or (hashtable-ref tops sfd #f)
          (let ([point (host-function world "(top level)" (file-number (file-of sfd)) (bitwise-ior 1 (bitwise-arithmetic-shift-left 1 32)) 0)])
            (hashtable-set! tops sfd point)
            (hashtable-set! function-files point sfd)
            point))
      (or no-file-top
          (begin (set! no-file-top (host-function world "(top level)" 0 0 0)) no-file-top))))

;; What Chez has counted so far, by index; #f: nothing.
(define (counted-sums)
  (let ([counted (profile-dump)])
    (for-each (lambda (entry) (index-of (car entry))) counted)
    (claim-counters!)
    (let ([sums (make-vector count #f)]) ; code that was copied is there several times
      (for-each
       (lambda (entry)
         (let ([index (index-of (car entry))])
           (vector-set! sums index (+ (or (vector-ref sums index) 0) (cdr entry)))))
       counted)
      sums)))

;; It goes into the recording, but in a forked child without what its parent had counted before.
(define parents-sums (vector))
(define (write-counts!)
  (let* ([sums (counted-sums)] [size (vector-length parents-sums)])
    (do ([i 0 (fx+ i 1)]) ((fx= i count))
      (let ([address (vector-ref addresses i)] [sum (vector-ref sums i)]
            [before (or (and (fx< i size) (vector-ref parents-sums i)) 0)])
        (unless (or (eqv? address 0) (not sum)) (foreign-set! 'unsigned-64 address 0 (max 0 (- sum before))))))))
