! Calls, recursion and an internal procedure from Fortran; the C side asks the fixture.
module numbers
  use iso_c_binding
  implicit none
  interface
    function check_calls(address, calls) bind(c) result(faults)
      import
      type(c_funptr), value :: address
      integer(c_long), value :: calls
      integer(c_int) :: faults
    end function
  end interface
contains
  recursive function fib(n) result(value) bind(c)
    integer(c_int), value :: n
    integer(c_int) :: value
    integer(c_int), volatile :: one, two
    if (n < 2) then
      value = n
    else
      one = fib(n - 1)
      two = fib(n - 2)
      value = one + two
    end if
  end function
end module

program fortran
  use numbers
  implicit none
  integer :: total
  total = 0
  if (fib(15) /= 610) stop 1
  call add(5)
  call add(6)
  if (total /= 11) stop 2
  if (check_calls(c_funloc(fib), 1973_c_long) /= 0) stop 3
contains
  subroutine add(n)
    integer, intent(in) :: n
    total = total + n
  end subroutine
end program
