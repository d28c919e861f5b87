export const id=5682;export const ids=[5682];export const modules={25682:(o,t,d)=>{d.d(t,{default:()=>e.N});var e=d(63514)}};
