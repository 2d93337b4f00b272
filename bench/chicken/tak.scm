;;; Takeuchi's function: tak [ROUNDS]
(import (chicken base) (chicken process-context))

(define (tak x y z)
  (if (< y x)
      (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))
      z))

(do ((left (optional (map string->number (command-line-arguments)) 200) (- left 1))
     (sum 0 (+ sum (tak 18 12 6))))
    ((= left 0) (print sum)))
