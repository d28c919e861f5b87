export const id=7564;export const ids=[7564];export const modules={17564:(o,r,n)=>{n.r(r),n.d(r,{renderMarkdown:()=>d});var t=n(21551);const d=o=>`${(0,t.Br)(o)}\n`}};
