/** The page's style: system fonts, a narrow column, and the reader's own choice of light or dark. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --text: #1c2128; --quiet: #59636e; --page: #fff; --panel: #f6f8fa; --line: #d1d9e0; --link: #0969da;
  --critical: #a40e26; --high: #bc4c00; --medium: #7d5b00; --low: #0550ae; --info: #59636e; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9198a1; --page: #0d1117; --panel: #161b22; --line: #3d444d; --link: #58a6ff;
  --critical: #ff7b72; --high: #f0883e; --medium: #e3b341; --low: #79c0ff; --info: #9198a1; --good: #56d364; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; overflow-wrap: anywhere; }
h4 { font-size: 1rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
header { border-left: .35rem solid var(--info); padding-left: 1rem; }
header.failure { border-color: var(--critical); } header.success { border-color: var(--good); } header.neutral { border-color: var(--medium); }
header p { margin: .1rem 0; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem; margin: .75rem 0; }
article p { margin: .35rem 0; }
a { color: var(--link); }
code, pre { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { background: var(--panel); border-radius: .375rem; padding: .6rem .8rem; overflow-x: auto; margin: .6rem 0; }
pre code { font-size: inherit; overflow-wrap: normal; }
.quiet { color: var(--quiet); font-size: .9rem; overflow-wrap: anywhere; }
.text { white-space: pre-line; overflow-wrap: anywhere; }
.fix { border-left: .2rem solid var(--good); padding-left: .8rem; margin-top: .6rem; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .55rem; font-size: .78rem; vertical-align: .08em; }
.critical { color: var(--critical); } .high { color: var(--high); } .medium { color: var(--medium); } .low { color: var(--low); } .info { color: var(--info); }
.bad { color: var(--critical); }
.alarm { background: var(--critical); color: var(--page); font-weight: 600; padding: .75rem 1rem; border-radius: .375rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--quiet); } dd { margin: 0; }
@media print { article { break-inside: avoid; } }
`;
