;;; For plain Chez Scheme: `scc` is its expression.  `ascribe scheme` has a library of that name that makes cost centres.
(library (ascribe)
  (export scc)
  (import (chezscheme))
  (define-syntax scc (syntax-rules () [(_ label expression) expression])))
