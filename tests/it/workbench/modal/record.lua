-- Records what neovim does with keys of vi, as the cases of neovim.json:
--
--     FILE=tests/it/workbench/modal/neovim.json nvim --headless --clean -u NONE -n -c 'luafile tests/it/workbench/modal/record.lua'
--
-- The keys are made at random from the grammar that docs/keys-modal.md claims. The page also lists the differences on
-- purpose, which are left out here.

local file = os.getenv('FILE')
local count, seed = tonumber(os.getenv('COUNT') or '300'), tonumber(os.getenv('SEED') or '7')

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
  state = state * 16807 % 2147483647
  return state % n
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
  return table.concat(lines, '\n') .. '\n'
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
local function object(is_counted)
  local line = vim.api.nvim_get_current_line()
  local all = { '"', 'p' }
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), ' ')
  local function has(sign) return select(2, text:gsub('%' .. sign, '')) end
  if has('(') == has(')') and has('[') == has(']') and has('{') == has('}') then
    vim.list_extend(all, { '(', ')', 'b', '[', ']', '{', '}' })
  end
  -- With a number, some objects depend on what follows the text around the cursor.
  if is_counted then all = {} end
  -- On a blank line, words are those of the next lines; empty brackets are passed over.
  local rest = line:sub(vim.api.nvim_win_get_cursor(0)[2] + 1)
  if rest:find('%S') and (not is_counted or #rest > 25) then vim.list_extend(all, { 'w', 'w', 'w', 'W' }) end
  if #all == 0 or line:find('%[%]') then return nil end
  return pick { 'i', 'a' } .. pick(all)
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
    local register = own:find('[dcy]') and chance(20) and '"' .. pick { 'a', 'b', vim.fn.getreg('a') == '' and 'a' or 'A' } or ''
    if register ~= '' then had.register = register:sub(2):lower() end
    -- To the left of the first column is nothing, of which neovim still changes the case.
    if own:find('g') and vim.api.nvim_win_get_cursor(0)[2] == 0 then own = '>' end
    local last = own == '<lt>' and '<lt>' or own:sub(-1)
    local times = number(10)
    local operand = chance(45) and object(times ~= '') or chance(25) and last or motion()
    local keys = register .. times .. own .. operand
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
    if own == 'o' and (opens() or vim.fn.reg_recording() ~= '') then own = 'A' end
    return typed(number(15) .. own)
  end },
  put = { 9, function()
    if not had.text or vim.fn.getreg('"') == '' then return nil end
    had.change = true
    local register = had.register and chance(40) and '"' .. had.register or chance(10) and '"0' or ''
    if register == '"0' and vim.fn.getreg('0') == '' then register = '' end
    return register .. number(15) .. pick { 'p', 'P' }
  end },
  again = { 10, function() return had.dot and (had.dot ~= 'object' and number(20) or '') .. '.' or nil end },
  undo = { 5, function() return had.undo and pick { 'u', 'u', had.shift and 'u' or '<ctrl-r>' } or nil end },
  visual = { 12, function()
    had.text, had.change = true, true
    local keys = { pick { 'v', 'v', 'V' } }
    if keys[1] == 'v' and chance(35) then
      table.insert(keys, object() or 'l')
    else
      table.insert(keys, motion())
      if chance(40) then table.insert(keys, motion()) end
    end
    if chance(10) then vim.list_extend(keys, { 'o', motion() }) end
    local own = pick { 'd', 'x', 'c', 's', 'y', '>', '<lt>', 'J', '~', 'u', 'U', 'rz', 'p' }
    if own == 'p' and vim.fn.getreg('"') == '' then own = 'd' end
    table.insert(keys, own:find('^[cs]') and typed(own) or own)
    return keys
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
    local from = pick { 'a', 'xs', 'int', '\\<lt>a\\>', '[ab]', '\\(i\\)n', ' *$' }
    local first, last = ({ [''] = '.', ['%'] = '1', ['1,3'] = '1', ['.,$'] = '.', ['2'] = '2' })[lines],
      ({ [''] = '.', ['%'] = '$', ['1,3'] = '3', ['.,$'] = '$', ['2'] = '2' })[lines]
    local found = vim.tbl_filter(function(line)
      return vim.fn.match(line, '\\C' .. from:gsub('<lt>', '<')) >= 0
    end, vim.fn.getline(first == '.' and vim.fn.line('.') or tonumber(first), last == '$' and vim.fn.line('$') or last == '.' and vim.fn.line('.') or tonumber(last)))
    if #found == 0 then return nil end
    return ':' .. lines .. 's/' .. from .. '/' .. pick { 'q', '(&)', '', 'two words' } .. '/' .. pick { '', 'g' } .. '<enter>'
  end },
}
-- Commands that `.` gives again.
local dots = { operator = true, shortcut = true, insert = true, put = true, visual = true }
local total = 0
for _, row in pairs(commands) do total = total + row[1] end
local names = vim.tbl_keys(commands)
table.sort(names)
local function command()
  local at = below(total)
  for _, name in ipairs(names) do
    at = at - commands[name][1]
    if at < 0 then return commands[name][2](), dots[name] end
  end
end

vim.o.shiftwidth, vim.o.expandtab, vim.o.autoindent, vim.o.startofline = 4, true, true, true
vim.o.formatoptions, vim.o.more = '', false
-- The plugin matchit maps it.
vim.cmd('silent! unmap %')

-- Returns what a command changes: text and cursor.
local function seen() return { vim.api.nvim_buf_get_lines(0, 0, -1, true), vim.api.nvim_win_get_cursor(0), vim.fn.mode() } end

local function start(text, row, column)
  if vim.fn.reg_recording() ~= '' then feed('<esc>q') end
  vim.cmd('enew!')
  vim.o.undolevels = -1
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(text, '\n'))
  vim.o.undolevels = 1000
  for name in ('"0123456789abmq-'):gmatch('.') do vim.fn.setreg(name, '') end
  local length = #vim.api.nvim_buf_get_lines(0, row - 1, row, true)[1]
  vim.api.nvim_win_set_cursor(0, { row, column % math.max(length, 1) })
end

local function sequence()
  had = {}
  local text, row, column = pick(texts), 0, below(60)
  row = below(#vim.split(text, '\n')) + 1
  start(text, row, column)
  local before, keys, is_spoiled = marked(), {}, false
  local function give(own, is_dot)
    -- A macro may have failed in visual mode.
    if own ~= '<esc>' and vim.fn.mode():find('[vV]') then own = vim.tbl_flatten { '<esc>', own } end
    for _, part in ipairs(type(own) == 'table' and own or { own }) do
      local tick, old = vim.b.changedtick, seen()
      pcall(feed, part)
      local new = seen()
      local is_changed = not vim.deep_equal(old[1], new[1])
      local is_same = vim.deep_equal(old, new)
      -- An empty text has a line there and none here.
      if vim.deep_equal(new[1], { '' }) then is_spoiled = true end
      -- The same text again, as an undo step of its own.
      if not is_changed and vim.b.changedtick ~= tick then is_spoiled = true end
      -- A command that fails while keys are recorded.
      if is_same and vim.fn.reg_recording() ~= '' and not part:find('^q') then is_spoiled = true end
      -- Neovim drops the keys after a command that fails, such as a text to insert.
      if part:find('<esc>') and part ~= '<esc>' and not is_changed then
        is_spoiled = is_spoiled or not is_same
      else
        table.insert(keys, part)
        if is_dot and is_changed then
          -- The extent of these is not kept.
          had.dot = not (type(own) == 'table' and (part == 'rz' or part == 'p'))
            and ((type(own) == 'table' or part:find('[ia][wWb%[%](){}"p]')) and 'object' or true)
          -- To undo a change of lines leads to the second one.
          had.undo = not part:find('c')
          -- To do it again leads to the text of the line here.
          had.shift = part:find('>') or part:find('<lt>')
        end
      end
    end
  end
  for _ = 1, below(4) + 2 do
    if chance(8) then
      give('qq')
      for _ = 1, below(3) + 1 do
        local own, is_dot = command()
        if own and own ~= 'mm' then give(own, is_dot) end
      end
      if vim.fn.reg_recording() ~= '' then give('q') end
      if vim.fn.reg_recording() == '' and vim.fn.getreg('q') ~= '' then give(number(30) .. '@q') end
    else
      local own, is_dot = command()
      if own then give(own, is_dot) end
    end
  end
  give('<esc>')
  return { before = before, keys = keys, after = marked(), start = { text, row, column }, is_spoiled = is_spoiled }
end

local made = {}
while #made < count do
  local own = sequence()
  -- Only what a second run confirms.
  start(unpack(own.start))
  for _, part in ipairs(own.keys) do pcall(feed, part) end
  if not own.is_spoiled and marked() == own.after and own.after ~= '‸\n' then table.insert(made, own) end
end
local out = { vim.json.encode { editor = vim.fn.execute('version'):match('NVIM [^\n]+'), seed = seed } }
for _, own in ipairs(made) do
  local case = { before = own.before, keys = table.concat(own.keys), after = own.after }
  table.insert(out, (vim.json.encode(case):gsub('\\/', '/')))
end
vim.fn.writefile(out, file)
vim.cmd('qa!')
