(define k #f)
(define rounds 0)
(define (behind)
  (set! rounds
        (+ rounds (call/cc (lambda (c) (set! k c) 1))))
  (number->string rounds)
  (if (< rounds 10)
      (k (+ rounds 1))
      'done))
(behind)

(define (classify n)
  (cond ((= n 0) (list 'zero n))
        ((even? n) (list 'even n))
        (else (let ((half (quotient n 2)))
                (list 'odd half)))))
(define (all n)
  (let loop ((i 0) (found '()))
    (if (= i n) (length found) (loop (+ i 1) (cons (classify i) found)))))
(print (all 1001))
(define (never x)
  (vector x x))

#| comments ( and "texts that |# (define text "a ) and a \" (
and more") ; and (others
(define character #\()
(define (late x) (vector x text character))	(late 1)
