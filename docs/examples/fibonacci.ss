;; Fibonacci numbers in two ways.
(define (doubly n)
  (if (< n 2)
      n
      (+ (doubly (- n 1))
         (doubly (- n 2)))))
(define (iterative n)
  (let loop ([i n] [a 0] [b 1])
    (if (= i 0)
        a
        (loop (- i 1) b (+ a b)))))
(let ([n (string->number (car (command-line-arguments)))])
  (display (= (doubly n) (iterative n)))
  (newline))
