/** The style of all pages: one small file, in the colors that the reader's system asks for. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --paper: #ffffff; --ink: #16191d; --quiet: #565e69; --line: #d5dae1;
  --accent: #0b5fae; --on-accent: #ffffff; --problem: #a3161b; --problem-ground: #fdecec; --good: #17683a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111418; --paper: #1a1e24; --ink: #e8ebef; --quiet: #a3adba; --line: #363d47;
    --accent: #7bb8f5; --on-accent: #0a1a2a; --problem: #ff9a94; --problem-ground: #3a1a1b; --good: #7fd6a3;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
body { margin: 0; background: var(--ground); color: var(--ink); }
main {
  max-width: 27rem; margin: min(8vh, 5rem) auto 2rem; padding: 1.75rem 2rem 2rem;
  background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
}
main:has(table) { max-width: 52rem; }
@media (max-width: 30rem) { main { margin: 0; border: 0; border-radius: 0; min-height: 100vh; padding: 1.5rem 1.25rem; } }
.brand { margin: 0 0 1.25rem; font-weight: 700; letter-spacing: .02em; color: var(--accent); }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
h1, p, li, summary { overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
main > :last-child, .field > :last-child { margin-bottom: 0; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
a { color: var(--accent); }
.hint, .quiet { color: var(--quiet); font-size: .9rem; margin: 0 0 .35rem; }
.field { margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
label.choice { font-weight: 400; display: flex; gap: .6rem; align-items: baseline; margin: 0; padding: .3rem 0; }
input[type=text], input[type=email], input[type=password], input[type=datetime-local], select {
  width: 100%; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--ground);
  border: 1px solid var(--quiet); border-radius: 6px;
}
input.code { font: 600 1.4rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .12em; text-transform: uppercase; }
button, a.button {
  font: inherit; font-weight: 600; padding: .6rem 1.1rem; border-radius: 6px; cursor: pointer;
  border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent);
}
a.button { text-decoration: none; }
button.quiet, button.danger { background: transparent; color: var(--accent); font-size: 1rem; margin: 0; }
button.danger { border-color: var(--problem); color: var(--problem); }
button.small { padding: .2rem .65rem; font-size: .95rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1rem; margin: 1.25rem 0 0; }
.buttons ~ *, form + .quiet { margin-top: 1.25rem; }
fieldset { margin: 0; padding: .5rem .9rem; border: 1px solid var(--line); border-radius: 6px; }
legend { font-weight: 600; padding: 0 .35rem; margin-left: -.35rem; }
[aria-invalid] { border-color: var(--problem); }
.problem, .notice { padding: .7rem .9rem; border: 1px solid transparent; border-radius: 6px; }
.notice { border-color: var(--line); }
.field .problem { margin: .25rem 0 .5rem; }
.problem { background: var(--problem-ground); color: var(--problem); }
.done { color: var(--good); font-weight: 600; }
.secret { font: 1rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; user-select: all;
  padding: .6rem .8rem; border: 1px dashed var(--quiet); border-radius: 6px; }
.qr { display: block; width: 13rem; height: 13rem; margin: 0 0 1rem; background: #ffffff; border-radius: 6px; }
.codes { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .25rem 1.5rem; white-space: nowrap; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; list-style: none; padding: 0; }
table { width: 100%; border-collapse: collapse; font-size: .95rem; }
th, td { text-align: left; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
td:first-child { overflow-wrap: anywhere; min-width: 8rem; }
td:last-child { white-space: nowrap; }
td form { display: inline-block; margin: 0 .5rem .25rem 0; }
@media (max-width: 40rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr, td { display: block; }
  tr { padding: .75rem 0; border-bottom: 1px solid var(--line); }
  td { padding: .1rem 0; border: 0; }
  td:first-child { font-weight: 600; }
  td:not(:first-child, :last-child)::before { content: attr(data-column) ": "; color: var(--quiet); }
  td:last-child { margin-top: .4rem; }
}
.time { white-space: nowrap; }
.rest { margin: .75rem 0 0; color: var(--quiet); }
details { margin: 1rem 0 0; }
summary { cursor: pointer; width: fit-content; font-weight: 600; color: var(--accent); }
details[open] > summary { margin-bottom: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 0 0 1rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
`.trim();
