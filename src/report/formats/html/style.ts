import { columnTitle } from '../cell-text.ts';
import type { Column, Table } from '../../model.ts';
import { readingOf } from '../reading.ts';
import { colourStyle } from './colours.ts';
import { cssString } from './escape.ts';

const pageStyle = `
*,*::before,*::after{box-sizing:border-box}
html{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans","Noto Sans CJK SC","PingFang SC","Hiragino Sans","Microsoft YaHei","Malgun Gothic",sans-serif;
 background:var(--background);color:var(--text);-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;overflow-wrap:anywhere}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
h1,h2,h3{text-wrap:balance}
h1{font-size:1.9rem;line-height:1.2;font-weight:650;letter-spacing:-.012em;margin:.15rem 0 .5rem}
h2{font-size:1.3rem;line-height:1.3;font-weight:650;margin:0 0 .8rem;padding-top:1.6rem;border-top:2px solid var(--accent)}
h3{font-size:1.05rem;line-height:1.35;font-weight:650;margin:1.6rem 0 .5rem}
[hidden]{display:none!important}
p{margin:0 0 .8rem;max-width:44rem;white-space:pre-line}
.skip{position:absolute;left:-100vw;background:var(--background);padding:.5rem 1rem;z-index:3}
.skip:focus{left:0;top:0}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.page{display:grid;grid-template-columns:minmax(0,1fr);max-width:80rem;margin:0 auto;padding:1.5rem 1rem 2rem}
header.report{border-bottom:1px solid var(--rule);padding-bottom:1.2rem;margin-bottom:1.2rem}
.kind{font-size:.8rem;font-weight:600;letter-spacing:.06em;text-transform:uppercase;color:var(--accent);margin:0}
.lead{font-size:1.05rem;color:var(--muted)}
dl.about{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:.6rem 1.5rem;margin:1rem 0 0;font-size:.87rem}
dl.about div{min-width:0}
dl.about dt{color:var(--muted)}
dl.about dd{margin:0}
nav.contents{font-size:.9rem;margin-bottom:1.2rem}
nav.contents h2{font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;color:var(--muted);border:0;padding:0;margin:0 0 .4rem}
nav.contents ol{list-style:none;counter-reset:n;margin:0;padding:0}
nav.contents li{counter-increment:n}
nav.contents a{display:flex;gap:.6em;padding:.22rem 0;text-decoration:none;color:var(--text)}
nav.contents a::before{content:counter(n);color:var(--muted);font-variant-numeric:tabular-nums;min-width:1.2em}
nav.contents a:hover{color:var(--link);text-decoration:underline}
main>section{margin-bottom:2.2rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));border:1px solid var(--hairline);border-radius:4px;overflow:hidden;margin:0 0 1.2rem}
.figures div{box-shadow:1px 1px 0 var(--hairline);padding:.65rem .8rem;display:flex;flex-direction:column}
.figures dt{font-size:.8rem;color:var(--muted)}
.figures dd{margin:0}
.figures .value{font-size:1.4rem;line-height:1.25;font-weight:600;font-variant-numeric:tabular-nums}
.figures .note{font-size:.8rem;color:var(--muted)}
.good{color:var(--good-ink)}.bad{color:var(--bad-ink)}.warn{color:var(--warn-ink)}.neutral{color:var(--neutral-ink)}
.figures .sign{font-size:.72em;margin-right:.35em}
.notice{max-width:none;border-left:4px solid currentColor;padding:.55rem .8rem;margin:0 0 .8rem;border-radius:0 4px 4px 0}
.notice span{color:var(--text)}
.notice.good{background:var(--good-ground)}.notice.bad{background:var(--bad-ground)}.notice.warn{background:var(--warn-ground)}.notice.neutral{background:var(--neutral-ground)}
figure{margin:0 0 1.6rem;max-width:46rem}
figcaption{font-weight:600;margin-bottom:.5rem}
svg{display:block;width:100%;height:auto;font-family:inherit}
svg.narrow{display:none}
svg path{fill:none}
svg .bold{font-weight:650}
figure tbody th{font-weight:400}
details{font-size:.87rem;margin-top:.5rem}
summary{cursor:pointer;color:var(--link);width:max-content;max-width:100%}
footer{border-top:1px solid var(--rule);padding-top:.8rem;font-size:.8rem;color:var(--muted)}
footer p{margin:0 0 .3rem;max-width:none}
.watermark{position:fixed;inset:0;display:flex;align-items:center;justify-content:center;pointer-events:none;z-index:2;overflow:hidden}
.watermark span{transform:rotate(-30deg);font-weight:700;font-size:clamp(2rem,9vw,7rem);line-height:1.1;text-align:center;max-width:110vmin;color:var(--watermark)}
@media (min-width:72rem){
 .page{grid-template-columns:14rem minmax(0,1fr);column-gap:2.5rem;padding-top:2.2rem}
 header.report,footer{grid-column:1/-1}
 nav.contents{position:sticky;top:1.2rem;align-self:start;max-height:calc(100vh - 2.4rem);overflow-y:auto}
 main>section:first-child>h2{border-top:0;padding-top:0}
}
@media (max-width:30rem){
 html{font-size:14px}
 h1{font-size:1.5rem}
 dl.about div{display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:.6rem}
 dl.about{gap:.3rem}
 .figures{grid-template-columns:repeat(auto-fit,minmax(7rem,1fr))}
 svg.wide{display:none}
 svg.narrow{display:block}
}
`;

const tableStyle = `
.table{margin:0 0 1.8rem}
.box{overflow-x:auto}
.box.fits{overflow:visible}
.bar{display:flex;flex-wrap:wrap;gap:.4rem .8rem;align-items:end;margin:0 0 .4rem;font-size:.87rem}
.bar label{min-width:0;max-width:100%;display:flex;flex-direction:column;color:var(--muted);font-size:.8rem}
.bar input,.bar select,.pager button{font:inherit;font-size:.87rem;color:var(--text);background:var(--background);border:1px solid var(--rule);border-radius:4px;padding:.25rem .5rem;min-height:2rem;max-width:100%}
.bar input{width:15rem}
.bar .sorter{display:none}
.lined .bar .sorter{display:flex}
.bar .all{flex-direction:row;align-items:center;gap:.4rem;min-height:2rem}
.bar .all input{width:auto;min-height:0}
table{width:100%;border-collapse:collapse;font-size:.84rem;line-height:1.4;font-variant-numeric:tabular-nums}
.top{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:baseline;justify-content:space-between;margin:0 0 .4rem}
.top p{margin:0}
.title{font-weight:600;margin:0 0 .4rem}
.top [role=status]{margin-left:auto;color:var(--muted);font-size:.87rem}
th,td{text-align:left;vertical-align:top;padding:.32rem .5rem;border-bottom:1px solid var(--hairline)}
thead th,thead td{background:var(--head);border-bottom:1px solid var(--rule);font-weight:600;vertical-align:bottom}
.table thead th{position:sticky;top:0;z-index:1}
tbody tr{background:var(--background)}
tbody tr:nth-child(even){background:var(--raised)}
.lined tbody tr{background:var(--background)}
.lined tbody tr.even{background:var(--raised)}
.split td{border-bottom:0;padding-bottom:.1rem}
.below td{padding-top:0;color:var(--muted);font-size:.92em}
.number{text-align:right}
td.number{white-space:nowrap}
.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
.nil{color:var(--muted)}
.sev,.stat{font-weight:600}
.whole{white-space:nowrap}
th.whole{white-space:normal;overflow-wrap:break-word}
.sev-critical{color:var(--critical)}.sev-high{color:var(--high-ink)}.sev-medium{color:var(--warn-ink)}.sev-low{color:var(--low-ink)}
.sev[class*=sev-]::before{content:"";display:inline-block;width:.6em;height:.6em;margin-right:.4em;background:currentColor}
.sev-medium::before{clip-path:polygon(50% 0,100% 100%,0 100%)}.sev-high::before{clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%)}.sev-low::before{border-radius:50%}
th button{all:unset;cursor:pointer;display:block;width:100%;box-sizing:border-box}
th button:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
th button::after{content:"\\a0\\2195";color:var(--muted);font-weight:400}
th[aria-sort=ascending] button::after{content:"\\a0\\2191";color:var(--accent)}
th[aria-sort=descending] button::after{content:"\\a0\\2193";color:var(--accent)}
.pager{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.5rem 0 0;font-size:.87rem}
.pager button{cursor:pointer}
.pager button[aria-disabled=true]{cursor:default;color:var(--muted);border-color:var(--hairline)}
.more,.empty{color:var(--muted);font-size:.87rem;margin:.5rem 0 0}
.empty{margin:0 0 1.8rem}
@media screen and (min-width:48rem){
 .box:not(.fits) tr:not(.below)>:first-child{position:sticky;left:0;z-index:1}
 .box:not(.fits) tbody tr:not(.below)>:first-child{background:inherit}
 .box:not(.fits) thead tr:not(.below)>:first-child{z-index:2}
}
@media screen and (max-width:47.99rem){
 .cards .bar .sorter{display:flex}
 .cards .bar .all{display:none}
 .bar label,.bar input,.bar select{width:100%}
 .cards table,.cards tbody{display:block}
 .cards thead{display:block;position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
 .cards tr{display:block;border:1px solid var(--hairline);border-radius:4px;margin:0 0 .6rem;padding:.3rem .2rem}
 .cards td{white-space:normal;display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:.6rem;border:0;padding:.16rem .5rem;text-align:left}
 .cards tr.split{border-bottom:0;border-radius:4px 4px 0 0;margin:0}
 .cards tr.below{border-top:0;border-radius:0 0 4px 4px}
 .cards tr.below td{display:block}
 .cards tr.below td::before{content:none!important}
 .cards td::before{color:var(--muted);font-weight:400;font-family:system-ui,sans-serif}
}
`;

const printStyle = `
@page{size:A4;margin:16mm 14mm 18mm;@bottom-right{content:counter(page) " / " counter(pages);font:8pt system-ui,sans-serif;color:#566473}}
@media print{
 html{font-size:9.5pt}
 .page{display:block;max-width:none;padding:0}
 .skip,.bar,.pager,summary,th button::after{display:none!important}
 details{display:block}
 details::details-content{content-visibility:visible;display:block}
 h1{font-size:20pt}
 h2{break-after:avoid;break-before:auto}
 h3,.top,figcaption{break-after:avoid}
 header.report{border:0}
 main>section+section{break-before:page}
 svg,.figures,.notice,tr{break-inside:avoid}
 thead{display:table-header-group}
 th button{display:contents}
 .split{break-after:avoid}
 .box{overflow:visible}
 .table thead th{position:static}
 p{orphans:3;widows:3}
 a{color:inherit}
 *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
 .watermark span{font-size:60pt}
}
`;

/** The style of a report with these tables, whose ids are given with them. */
export function styleOf(tables: readonly (readonly [id: string, table: Table])[]): string {
  const columns = tables.map(([id, { columns }]) => columnsStyle(id, columns));
  return `${colourStyle}${pageStyle}${tableStyle}${printStyle}${columns.join('')}`;
}

/** Letters of text need some room, the more the larger its share; beyond, the table scrolls in its box. */
const leastRem = (width: number): number =>
  Math.round(Math.max(6, Math.min(11, 3 + width * 1.6)) * 10) / 10;

/** Widths by share, and the titles of columns for where each row stands as a card. */
function columnsStyle(id: string, columns: readonly Column[]): string {
  const { main, below } = readingOf(columns);
  const all = main.reduce((sum, { column: { width } }) => sum + Math.max(0, width), 0) || 1;
  const widths = main.map(({ column: { width } }, n) => {
    const share = Math.round((Math.max(0, width) / all) * 10_000) / 100;
    return `#${id} col:nth-child(${n + 1}){width:${share}%}`;
  });
  const placed = [...main, ...below].map(({ column }) => column);
  const least = placed.map(({ type, width }, n) =>
    type === 'text' || type === 'id'
      ? `#${id} tr:not(.below)>td:nth-child(${n + 1}){min-width:${leastRem(width)}rem}`
      : '',
  );
  const titles = placed.map(
    (column, n) =>
      `.cards#${id} td:nth-child(${n + 1})::before{content:${cssString(columnTitle(column))}}`,
  );
  return `${widths.join('')}@media (min-width:48rem){${least.join('')}}@media screen and (max-width:47.99rem){${titles.join('')}}`;
}
