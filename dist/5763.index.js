export const id=5763;export const ids=[5763];export const modules={65763:(n,r,o)=>{o.r(r),o.d(r,{renderJson:()=>e});var t=o(8338);function e(n){return`${JSON.stringify(t.pl.parse(n),null,2)}\n`}}};
