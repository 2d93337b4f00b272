;;; Section 3 of Sansom and Peyton Jones 1992 with promises, as examples/lazy has it.  Behind it are escapes and
;;; entries again.  Prints in which cost centre each part is evaluated, by names that the centres give themselves.
;;; Read by CHICKEN and Chez behind a prelude that defines `here`, the number of the current centre.
(define names '())
(define (name! name) (set! names (cons (cons (here) name) names)))
(define seen '())                       ; (part . centre), the newest first
(define (note! part) (if (not (member (cons part (here)) seen)) (set! seen (cons (cons part (here)) seen))))

(define (upto n m) (delay (if (> n m) '() (cons n (upto (+ n 1) m)))))
(define (stream-map part f l)
  (delay (let ((l (force l)))
           (note! part)
           (if (null? l) '() (cons (delay (f (car l))) (stream-map part f (cdr l)))))))
(define (sum total l) (let ((l (force l))) (if (null? l) total (sum (+ total (force (car l))) (cdr l)))))
(define (len n l) (let ((l (force l))) (if (null? l) n (len (+ n 1) (cdr l)))))
(define (count part n) (note! part) (if (= n 0) 0 (count part (- n 1))))

(define (times x y) (note! 'element) (* x y))
(define demanded (scc "foo" (begin (name! 'foo) (stream-map 'spine (lambda (y) (scc "bar" (begin (name! 'bar) (times 3 y)))) (upto 1 1000)))))
(define skipped (scc "foo" (stream-map 'spine (lambda (y) (scc "never" (times 3 y))) (upto 1 1000))))
(define nested (list (sum 0 demanded) (len 0 skipped)))

(define outside (scc "builder" (begin (name! 'builder) (delay (count 'argument 300)))))
(define (use x y) (note! 'user-body) (+ (force x) (force y)))
(scc "user" (begin (name! 'user) (use outside (delay (scc "inner" (begin (name! 'inner) (count 'inner-argument 100)))))))

(define (row n) (scc "row" (begin (name! 'row) (stream-map 'row-spine (lambda (y) (note! 'row-element) (* n y)) (upto 1 20)))))
(define rows (stream-map 'rows row (upto 1 100)))
(define (total a l) (let ((l (force l))) (if (null? l) a (total (sum a (force (car l))) (cdr l)))))
(define instances (list (total 0 rows) (total 0 rows)))

(define (lamf x) (scc "lamf" (let ((g (lambda (y) (note! 'returned) (+ x y)))) g)))
(define returned ((lamf 1) 1))
(define once (delay (scc "once" (begin (name! 'once) (count 'once 700)))))
(force once)
(force once)

(define again #f)
(define rounds 0)
(define reentered
  (scc "foo" (delay (begin (call/cc (lambda (k) (set! again k))) (set! rounds (+ rounds 1)) (note! 'entered-again) rounds))))
(define (demands) (scc "demander" (begin (name! 'demander) (force reentered) (note! 'behind-force) #f)))
(demands)
(note! 'behind)
(if (< rounds 2) (again #f))
(call/cc (lambda (out) (scc "foo" (force (delay (scc "leaving" (begin (name! 'leaving) (note! 'before-leaving) (out 1))))))))
(note! 'behind-leaving)
(define several (call-with-values (lambda () (scc "foo" (values 1 2))) list))

(define (name-of centre) (if (and (not (eqv? centre 0)) (assv centre names)) (cdr (assv centre names)) 'none))
(for-each (lambda (entry) (display (car entry)) (display " ") (display (name-of (cdr entry))) (newline)) (reverse seen))
(for-each (lambda (value) (display value) (newline)) (list nested instances returned rounds several))
