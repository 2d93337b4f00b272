;;; Lists and closures: queens on a board, mutual tail calls, sorting with a predicate that is called back.
(import (chicken base) (chicken sort))
(define (safe? row distance placed)
  (or (null? placed)
      (and (not (= (car placed) row)) (not (= (abs (- (car placed) row)) distance)) (safe? row (+ distance 1) (cdr placed)))))
(define (queens size)
  (let place ((column 0) (placed '()))
    (if (= column size) 1
        (let try ((row 0) (found 0))
          (if (= row size) found
              (try (+ row 1) (if (safe? row 1 placed) (+ found (place (+ column 1) (cons row placed))) found)))))))
(define (even-number? n) (or (= n 0) (odd-number? (- n 1))))
(define (odd-number? n) (and (not (= n 0)) (even-number? (- n 1))))
(define (composed . functions) (if (null? functions) (lambda (x) x) (lambda (x) ((car functions) ((apply composed (cdr functions)) x)))))
(define (numbers n) (let loop ((i 0) (l '())) (if (= i n) l (loop (+ i 1) (cons (modulo (* i 7919) 10007) l)))))
(print (queens 7) " " (even-number? 200001) " " ((composed (lambda (x) (* x 2)) (lambda (x) (+ x 1))) 20))
(print (let ((sorted (sort (numbers 3000) (lambda (a b) (< a b))))) (list (car sorted) (list-ref sorted 1500))))
(print (foldl + 0 (map (lambda (x) (* x x)) (numbers 1000))))
