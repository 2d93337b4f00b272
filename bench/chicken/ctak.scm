;;; Takeuchi's function whose every result goes through a continuation: ctak [ROUNDS]
(import (chicken base) (chicken process-context))

(define (ctak x y z) (call/cc (lambda (k) (through k x y z))))
(define (through k x y z)
  (if (< y x)
      (call/cc
       (lambda (k)
         (through k
                  (call/cc (lambda (k) (through k (- x 1) y z)))
                  (call/cc (lambda (k) (through k (- y 1) z x)))
                  (call/cc (lambda (k) (through k (- z 1) x y))))))
      (k z)))

(do ((left (optional (map string->number (command-line-arguments)) 80) (- left 1))
     (sum 0 (+ sum (ctak 18 12 6))))
    ((= left 0) (print sum)))
