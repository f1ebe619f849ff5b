"use strict";
(() => {
  const all = new Map();
  for (const element of document.querySelectorAll("[data-t]")) {
    const token = element.dataset.t;
    if (!all.has(token)) all.set(token, []);
    all.get(token).push(element);
  }
  // Marks the elements of one token with a class, and of no other.
  const mark = (token, look) => {
    document.querySelectorAll("." + look).forEach((element) => element.classList.remove(look));
    (all.get(token) || []).forEach((element) => element.classList.add(look));
  };
  const token = (event) => event.target.closest?.("[data-t]")?.dataset.t;
  let pinned = null;
  document.addEventListener("mouseover", (event) => { if (pinned === null) mark(token(event), "on"); });
  document.addEventListener("click", (event) => {
    const own = token(event);
    if (own === undefined) return;
    pinned = pinned === own ? null : own;
    mark(own, "on");
    if (pinned === null) return;
    // Shows the same token on the other side.
    const here = event.target.closest("#source") !== null;
    const other = all.get(own).find((element) => (element.closest("#source") !== null) !== here);
    other?.scrollIntoView({ block: "nearest" });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { pinned = null; mark(undefined, "on"); }
  });

  const runs = JSON.parse(document.getElementById("runs").textContent);
  const find = (id) => document.getElementById(id);
  const which = find("which");
  if (!which || runs.length === 0) return;
  let run = runs[0], at = 0;
  const add = (parent, name, text, look) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (look) element.className = look;
    parent.append(element);
    return element;
  };
  const show = () => {
    const output = find("step"), step = run.steps[at];
    output.replaceChildren();
    find("slider").value = at;
    find("first").disabled = find("back").disabled = at === 0;
    find("next").disabled = find("last").disabled = at + 1 >= run.steps.length;
    if (!step) { add(output, "p", run.end); mark(undefined, "at"); return; }
    add(output, "p", `step ${run.skipped + at + 1} of ${run.total}, line ${step.line}`);
    const line = add(output, "p");
    add(line, "code", step.op);
    if (step.left) { line.append(" leaves "); add(line, "code", step.left); }
    if (at + 1 >= run.steps.length) add(output, "p", run.end, "dim");
    for (const [name, variables] of step.frames) {
      const table = add(output, "table");
      add(add(table, "tr"), "th", name).colSpan = 2;
      for (const [variable, value] of variables) {
        const row = add(table, "tr");
        add(add(row, "td"), "code", variable);
        add(add(row, "td"), "code", value);
      }
    }
    mark(step.token === null ? undefined : String(step.token), "at");
    const source = find("source");
    const place = source.querySelector(".at");
    // Only the source's own box scrolls, so that the buttons stay in place.
    if (place && source.scrollHeight > source.clientHeight) {
      const [box, own] = [source.getBoundingClientRect(), place.getBoundingClientRect()];
      if (own.top < box.top || own.bottom > box.bottom) source.scrollTop += own.top - box.top - box.height / 2;
    }
  };
  const go = (to) => { at = Math.max(0, Math.min(run.steps.length - 1, to)); show(); };
  const choose = () => {
    run = runs[Number(which.value)] || runs[0];
    document.querySelectorAll(".values").forEach((element) => element.remove());
    for (const [line, words] of Object.entries(run.values)) add(find("L" + line), "samp", words, "values");
    find("slider").max = Math.max(0, run.steps.length - 1);
    go(0);
  };
  which.addEventListener("change", choose);
  find("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  find("first").addEventListener("click", () => go(0));
  find("back").addEventListener("click", () => go(at - 1));
  find("next").addEventListener("click", () => go(at + 1));
  find("last").addEventListener("click", () => go(run.steps.length - 1));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("select, input")) return;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: run.steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  choose();
})();
