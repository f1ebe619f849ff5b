-- Records what neovim does with keys of vi, as the cases of neovim.json:
--
--     nvim --headless --clean -u NONE -c 'luafile tests/it/workbench/modal/record.lua' -- FILE [COUNT [SEED]]
--
-- The keys are made at random from the grammar that docs/keys-modal.md claims. The page also lists the differences on
-- purpose, which are left out here.

local args = {}
for i, arg in ipairs(vim.v.argv) do
  if arg == '--' then args = vim.list_slice(vim.v.argv, i + 1) end
end
local file, count, seed = args[1], tonumber(args[2] or '300'), tonumber(args[3] or '7')

local texts = {
  [[
fn gcd(a: int, b: int) -> int {
    while b != 0 {
        let t = a % b;
        a = b;
        b = t;
    }
    return abs(a);
}

test gcd(12, -18) == 6;]],
  [[
const LIMIT = 9;

fn lcm(a: int, b: int) -> int {
    if a == 0 || b == 0 { return 0; }
    return abs(a / gcd(a, b) * b);
}
test "by halves": gcd_binary(12, 20) == 4;
test lcm(4, 6) == 12;]],
  [[
fn insertion_sort(xs: [int]) -> [int] {
    for i in 1..len(xs) {
        let x = xs[i];
        while j > 0 && xs[j - 1] > x {
            xs[j] = xs[j - 1];
        }
    }
    return xs;
}]],
  [[
// Three ways to sort a list, and more.

let less: [int] = [];
let more: [int] = [];
for x in xs[1..len(xs)] {
    if x < pivot { less += [x]; } else { more += [x]; }
}


return quicksort(less) + [pivot] + more;]],
  [[
prop "both ways": a in 0..LIMIT => gcd(a, b) == f(f(a), b);
a
    b += 1;

  c = (a | b) & 1;]],
}

-- Numbers that are the same on every machine.
local state = seed
local function below(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return math.floor(state / 65536) % n
end
local function pick(list) return list[below(#list) + 1] end
local function chance(percent) return below(100) < percent end

local function feed(keys)
  local codes = keys:gsub('<ctrl%-(%w)>', '<C-%1>'):gsub('<enter>', '<CR>')
  codes = vim.api.nvim_replace_termcodes(codes, true, true, true)
  vim.api.nvim_feedkeys(codes, 'tx', false)
end

local function marked()
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  lines[row] = lines[row]:sub(1, column) .. '‸' .. lines[row]:sub(column + 1)
  return table.concat(lines, '\n')
end

-- What has happened in this sequence: keys that depend on it come only then.
local had
local function number(percent) return chance(percent) and tostring(below(3) + 2) or '' end
local function word() return pick { 'x', 'ab', 'foo bar', 'n1', ' y', 'len_2' } end
local function find()
  had.find = true
  return pick { 'f', 't', 'F', 'T' } .. pick { 'a', 'b', ' ', '=', ';', ')', 'x', 't' }
end
local function motion()
  local all = { 'h', 'j', 'k', 'l', 'w', 'b', 'e', 'w', 'b', 'e', 'W', 'B', 'E', '0', '^', '$', 'G', 'gg', '%', 'find' }
  if had.find then vim.list_extend(all, { ';', ',', ';' }) end
  if had.mark and vim.fn.line("'m") > 0 then vim.list_extend(all, { "'m" }) end
  local own = pick(all)
  if own == 'find' then own = find() end
  -- A number before these means a line, a percentage or nothing.
  local takes = not own:find("^['%%0^]")
  return (takes and number(20) or '') .. own
end
local function object()
  return pick { 'i', 'a' } .. pick { 'w', 'w', 'w', 'W', '(', ')', 'b', '[', ']', '{', '}', '"', 'p' }
end
local function typed(keys) return keys .. word() .. '<esc>' end
local function opens()
  -- Enter after an opening bracket indents.
  return vim.api.nvim_get_current_line():find('[{%[(]%s*$')
end

local commands = {
  motion = { 20, motion },
  operator = { 22, function()
    local own = pick { 'd', 'd', 'd', 'c', 'c', 'y', 'y', '>', '<lt>', 'g~', 'gu', 'gU' }
    had.change = own ~= 'y' or had.change
    had.text = had.text or own:find('[dcy]')
    local register = own:find('[dcy]') and chance(20) and '"' .. pick { 'a', 'b', 'A' } or ''
    if register ~= '' then had.register = register:sub(2):lower() end
    local last = own == '<lt>' and '<lt>' or own:sub(-1)
    local operand = chance(45) and object() or chance(25) and last or motion()
    local keys = register .. number(10) .. own .. operand
    return own == 'c' and typed(keys) or keys
  end },
  shortcut = { 12, function()
    had.change, had.text = true, true
    local own = pick { 'x', 'X', 'D', 'C', 's', 'S', 'Y', 'J', '~', 'r' }
    local keys = number(25) .. own
    if own == 'r' then return keys .. pick { 'q', '0' } end
    return own:find('[CsS]') and typed(keys) or keys
  end },
  insert = { 9, function()
    had.change = true
    local own = pick { 'i', 'a', 'I', 'A', 'o', 'O' }
    if own == 'o' and opens() then own = 'A' end
    return typed(number(15) .. own)
  end },
  put = { 9, function()
    if not had.text then return nil end
    had.change = true
    local register = had.register and chance(40) and '"' .. had.register or chance(10) and '"0' or ''
    if register == '"0' and vim.fn.getreg('0') == '' then register = '' end
    return register .. number(15) .. pick { 'p', 'P' }
  end },
  again = { 10, function() return had.change and number(20) .. '.' or nil end },
  undo = { 5, function() return had.change and pick { 'u', 'u', '<ctrl-r>' } or nil end },
  visual = { 12, function()
    had.text, had.change = true, true
    local keys = pick { 'v', 'v', 'V' }
    if keys == 'v' and chance(35) then
      keys = keys .. pick { 'i', 'a' } .. pick { 'w', 'W', '(', '[', '{', '"' }
    else
      keys = keys .. motion() .. (chance(40) and motion() or '')
    end
    if chance(10) then keys = keys .. 'o' .. motion() end
    local own = pick { 'd', 'x', 'c', 's', 'y', '>', '<lt>', 'J', '~', 'u', 'U', 'rz', 'p' }
    if own == 'p' and vim.fn.getreg('"') == '' then own = 'd' end
    return own:find('^[cs]') and typed(keys .. own) or keys .. own
  end },
  mark = { 3, function()
    had.mark = true
    return 'mm'
  end },
  search = { 6, function()
    if had.search and chance(60) then return number(15) .. pick { 'n', 'N' } end
    local column = vim.api.nvim_win_get_cursor(0)[2]
    -- Without a word, vi searches for signs.
    if not vim.api.nvim_get_current_line():sub(column + 1):find('[%w_]') then return nil end
    had.search = true
    return pick { '*', '#' }
  end },
  substitute = { 4, function()
    had.change = true
    local lines = pick { '', '%', '1,3', '.,$', '2' }
    local from = pick { 'a', 'xs', 'int', '\\<a\\>', '[ab]', '\\(i\\)n', ' *$' }
    return ':' .. lines .. 's/' .. from .. '/' .. pick { 'q', '(&)', '', 'two words' } .. '/' .. pick { '', 'g' } .. '<enter>'
  end },
}
local total = 0
for _, row in pairs(commands) do total = total + row[1] end
local names = vim.tbl_keys(commands)
table.sort(names)
local function command()
  local at = below(total)
  for _, name in ipairs(names) do
    at = at - commands[name][1]
    if at < 0 then return commands[name][2]() end
  end
end

vim.o.shiftwidth, vim.o.expandtab, vim.o.autoindent, vim.o.startofline = 4, true, true, true
vim.o.formatoptions, vim.o.more = '', false
local out = { vim.json.encode { editor = vim.fn.execute('version'):match('NVIM [^\n]+'), seed = seed } }
for _ = 1, count do
  had = {}
  vim.cmd('enew!')
  vim.o.undolevels = -1
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(pick(texts), '\n'))
  vim.o.undolevels = 1000
  for name in ('"0123456789abm-'):gmatch('.') do vim.fn.setreg(name, '') end
  local row = below(vim.api.nvim_buf_line_count(0)) + 1
  local length = #vim.api.nvim_buf_get_lines(0, row - 1, row, true)[1]
  vim.api.nvim_win_set_cursor(0, { row, below(math.max(length, 1)) })
  local before, keys = marked(), {}
  local function give(own)
    table.insert(keys, own)
    pcall(feed, own)
  end
  for _ = 1, below(4) + 2 do
    if chance(8) then
      give('qq')
      for _ = 1, below(3) + 1 do
        local own = command()
        if own then give(own) end
      end
      give('q')
      give(number(30) .. '@q')
    else
      local own = command()
      if own then give(own) end
    end
  end
  give('<esc>')
  table.insert(out, vim.json.encode { before = before, keys = table.concat(keys), after = marked() })
end
vim.fn.writefile(out, file)
vim.cmd('qa!')
