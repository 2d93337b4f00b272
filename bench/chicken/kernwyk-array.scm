;;; Fill a vector of a million numbers and copy it to a second one, a hundred times: kernwyk-array [ROUNDS [SIZE]]
(import (chicken base) (chicken process-context))

(define (create-x size)
  (let ((numbers (make-vector size 0)))
    (do ((i 0 (+ i 1))) ((= i size) numbers)
      (vector-set! numbers i i))))

(define (create-y x)
  (let* ((size (vector-length x))
         (copy (make-vector size 0)))
    (do ((i (- size 1) (- i 1))) ((< i 0) copy)
      (vector-set! copy i (vector-ref x i)))))

(define (my-try size) (vector-length (create-y (create-x size))))

(define (go rounds size last)
  (if (= rounds 0) last (go (- rounds 1) size (my-try size))))

(let-optionals (map string->number (command-line-arguments)) ((rounds 100) (size 1000000))
  (print (go rounds size 0)))
