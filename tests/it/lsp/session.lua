-- A session of neovim with `myriad lsp`: open, type an error, see it, mend it, rename, format, see the header of a called
-- function, values and a verdict.
-- Prints what it saw, one line a step; the last line is `done`.
local program = os.getenv("MYRIAD")
local function say(text) io.stdout:write(text .. "\n") end
local function wait(what, met)
  local started = vim.loop.hrtime()
  if not vim.wait(60000, met, 5) then
    say("no " .. what)
    vim.cmd("cquit 1")
  end
  say(string.format("%s after %.0f ms", what, (vim.loop.hrtime() - started) / 1e6))
end
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = "myriad", cmd = { program, "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, client)
wait("client", function() return vim.lsp.buf_is_attached(buffer, client) and vim.lsp.get_client_by_id(client).initialized end)
local function errors() return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) end
local function line(number) return vim.api.nvim_buf_get_lines(buffer, number, number + 1, false)[1] end

say(string.format("file type: %s, %s, %d", vim.bo.filetype, vim.bo.commentstring, vim.bo.shiftwidth))
vim.cmd("normal! 1Golet c = 1;")
say("indented: " .. line(1))
vim.cmd("undo")
local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params()
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000)
  return answers and answers[client] and answers[client].result
end
local fold = ask("textDocument/foldingRange", {})[1]
say("folds: " .. fold.startLine .. " to " .. fold.endLine)
local inner = ask("textDocument/selectionRange", { positions = { { line = 1, character = 11 } } })[1]
local function text(range) return line(range.start.line):sub(range.start.character + 1, range["end"].character) end
say("selected: " .. text(inner.range) .. ", if " .. text(inner.parent.range))
say("symbols: " .. ask("workspace/symbol", { query = "lgr" })[1].name)

vim.api.nvim_buf_set_text(buffer, 2, 12, 2, 13, { "" })
wait("error", function() return #errors() == 1 end)
say(errors()[1].message)
vim.api.nvim_buf_set_text(buffer, 2, 12, 2, 12, { ";" })
wait("no error", function() return #errors() == 0 end)

vim.api.nvim_win_set_cursor(0, { 2, 7 })
vim.lsp.buf.rename("first")
wait("new name", function() return line(1):find("first > b", 1, true) ~= nil end)

vim.api.nvim_buf_set_text(buffer, 2, 0, 2, 0, { "      " })
vim.lsp.buf.formatting_sync(nil, 60000)
say("formatted: " .. line(2))

-- A call that is not closed, in a function that is not.
vim.api.nvim_buf_set_text(buffer, 2, 4, 3, 1, { "return larger(first, " })
local help = ask("textDocument/signatureHelp", { position = { line = 2, character = 25 } })
say("header: " .. help.signatures[1].label .. ", parameter " .. help.activeParameter)
vim.api.nvim_buf_set_text(buffer, 2, 4, 2, 25, { "return b;", "}" })
wait("values", function()
  local whole = { start = { line = 0, character = 0 }, ["end"] = { line = 9, character = 0 } }
  local hints = ask("textDocument/inlayHint", { range = whole })
  for _, hint in ipairs(hints or {}) do say(hint.position.line .. ": " .. hint.label) end
  return hints ~= nil and #hints > 0
end)

vim.api.nvim_buf_set_text(buffer, 5, 21, 5, 22, { "3" })
wait("verdict", function()
  for _, found in ipairs(vim.diagnostic.get(buffer)) do
    if found.code == "test" or found.message:find("fails", 1, true) then return true end
  end
  return false
end)
say("done")
vim.cmd("qall!")
