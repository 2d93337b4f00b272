;; In a module: a procedure that C calls, and that does not use all of what it is given.
(module external (run)
(import scheme (chicken base) (chicken foreign))
(define-external (last_of (int a) (c-string b) (int c)) int c)
(define (run) ((foreign-safe-lambda* int () "C_return(last_of(1, \"2\", 6));"))))
(import external)
(print (run))
