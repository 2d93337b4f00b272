! Fortran: a function, a recursive one, and a contained one.
! EXPECT levels -O0 -O2
! EXPECT compile -fno-inline -fno-ipa-cp -fno-ipa-sra -fno-optimize-sibling-calls -fno-ipa-icf
! EXPECT output 120 385
! EXPECT calls factorial_ 5
! EXPECT calls squares_ 1
recursive function factorial(n) result(value)
  implicit none
  integer, intent(in) :: n
  integer :: value
  if (n <= 1) then
    value = 1
  else
    value = n * factorial(n - 1)
  end if
end function factorial

function squares(n) result(total)
  implicit none
  integer, intent(in) :: n
  integer :: total, i
  total = 0
  do i = 1, n
    total = total + square(i)
  end do
contains
  integer function square(i)
    integer, intent(in) :: i
    square = i * i
  end function square
end function squares

program main_program
  implicit none
  integer, external :: factorial, squares
  print '(i0, 1x, i0)', factorial(5), squares(10)
end program main_program
