;; Control goes each way that it can; csc.py knows how often each procedure is called.
(import (chicken sort))
(define k #f)
(define rounds 0)
(define (leaf x) x)

;; A continuation that is entered again nine times: what is behind it runs ten times.
(define (again) (+ 1 (leaf (call/cc (lambda (c) (set! k c) 0)))))
(define (reenter) (again) (set! rounds (+ rounds 1)) (if (< rounds 10) (k 1) 'done))
(reenter)

;; Out of a loop of the library's, seven times.
(define (big? x) (> x 5))
(define (find-first is? l)
  (call/cc (lambda (return) (for-each (lambda (x) (if (is? x) (return x))) l) #f)))
(do ((i 0 (+ i 1))) ((= i 7)) (find-first big? '(1 2 6 7 8)))

;; A generator that goes on where it was left.
(define (make-generator l)
  (define return #f)
  (define (go)
    (call/cc
     (lambda (r)
       (set! return r)
       (for-each (lambda (x) (call/cc (lambda (next) (set! go (lambda () (next #f))) (return x)))) l)
       (return 'end))))
  (lambda () (call/cc (lambda (r) (set! return r) (go)))))
(define next (make-generator '(1 2 3 4)))
(define (drain) (let loop ((n 0)) (if (eq? (next) 'end) n (loop (+ n 1)))))
(print (drain))

;; Errors.
(define (risky x) (if (odd? x) (error "odd" x) (leaf x)))
(define (safe x) (handle-exceptions e 'caught (risky x)))
(let count ((i 0)) (when (< i 10) (safe i) (count (+ i 1))))

;; Values, apply, and callbacks of the library's, in and out of tail position.
(define (add . l) (apply + l))
(define (two x) (values x (+ x 1)))
(define (use x) (call-with-values (lambda () (two x)) add))
(print (map use '(1 2 3)))
(define compared 0)
(define (less a b) (set! compared (+ compared 1)) (< (leaf a) (leaf b)))
(define (by-text a b) (string<? (number->string a) (number->string b)))
(define (numbers n) (let fill ((i 0) (l '())) (if (= i n) l (fill (+ i 1) (cons (modulo (* i 7919) 10007) l)))))
(define (sorted l) (car (sort l less)))
(define (sorted-by-text l) (car (sort l by-text)))
(print (sorted (numbers 1000)) (sorted-by-text (numbers 1000)))
(print compared)

;; Before and behind.
(define (before) 1)
(define (behind) 2)
(define (winding thunk) (dynamic-wind before thunk behind))
(define (out) (call/cc (lambda (leave) (winding (lambda () (leave 1))))))
(winding (lambda () (leaf 'inside)))
(out)

;; Loops by tail calls: of oneself, of two, and of who knows whom.
(define (even2? n) (if (= n 0) #t (odd2? (- n 1))))
(define (odd2? n) (if (= n 0) #f (even2? (- n 1))))
(print (even2? 1000001))
(define (bounce f n) (if (= n 0) 'end (f bounce-back (- n 1))))
(define (bounce-back f n) (if (= n 0) 'end (f bounce (- n 1))))
(print (bounce bounce-back 1000))
