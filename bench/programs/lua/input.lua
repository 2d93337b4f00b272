-- Recursive functions, queens, sorting and protected calls: calls of every kind, no table whose
-- order depends on addresses.
local small = arg[1] == "small"

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local function ackermann(m, n)
  if m == 0 then return n + 1 end
  if n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end

local function queens(n)
  local columns, rising, falling, found = {}, {}, {}, 0
  local function place(row)
    if row > n then
      found = found + 1
      return
    end
    for column = 1, n do
      if not (columns[column] or rising[row + column] or falling[row - column + n]) then
        columns[column], rising[row + column], falling[row - column + n] = true, true, true
        place(row + 1)
        columns[column], rising[row + column], falling[row - column + n] = nil, nil, nil
      end
    end
  end
  place(1)
  return found
end

local function sorted(n)
  local state, items = 42, {}
  for i = 1, n do
    state = (state * 1103515245 + 12345) % 2147483648
    items[i] = state
  end
  table.sort(items, function(a, b) return a < b end)
  local names = {}
  for i = 1, n do names[i] = string.format("%08x", items[i] // 7) end
  table.sort(names)
  return items[1], items[n], names[n // 2]
end

local function protected(n)
  local failures = 0
  for i = 1, n do
    local ok = pcall(function() if i % 2 == 0 then error("even") end end)
    if not ok then failures = failures + 1 end
  end
  return failures
end

local function text(n)
  local words = {}
  for i = 1, n do words[#words + 1] = ("word" .. i):upper():gsub("W", "v") end
  local joined = table.concat(words, " ")
  local count = 0
  for _ in joined:gmatch("%d+") do count = count + 1 end
  return count, #joined
end

print("fib", fib(small and 15 or 30))
print("ackermann", ackermann(2, small and 20 or 500))
print("queens", queens(small and 5 or 8))
print("sort", sorted(small and 1000 or 120000))
print("pcall", protected(small and 1000 or 100000))
print("text", text(small and 500 or 100000))
