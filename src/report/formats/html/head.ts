import { createHash } from 'node:crypto';
import { reportTypeTitles } from '../../../contract/reports.ts';
import { aboutOf, generatedAt, whoseOf } from '../cell-text.ts';
import type { Figures, ReportHead, ReportModel } from '../../model.ts';
import { beginsWithFigures } from '../reading.ts';
import { figuresHtml, noticeHtml } from './blocks.ts';
import { escapeText, proseHtml } from './escape.ts';

export interface PageParts {
  readonly style: string;
  readonly script: string;
  readonly watermark?: string | undefined;
  /** Of each section, in their order. */
  readonly ids: readonly string[];
}

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Up to where the sections begin. Nothing is let in from anywhere: style and script are named by their hashes. */
export function startOfPage(model: ReportModel, parts: PageParts): string {
  const { head, sections } = model;
  const { style, script, watermark, ids } = parts;
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  const links = sections.map(
    ({ title }, at) => `<li><a href="#${ids[at] ?? ''}">${escapeText(title)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${escapeText(head.generator)}">
<title>${escapeText(head.name)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
${watermark === undefined ? '' : `<div class="watermark" aria-hidden="true"><span>${escapeText(watermark)}</span></div>\n`}<div class="page">
${headerHtml(head, beginsWithFigures(model))}<nav class="contents" aria-labelledby="contents"><h2 id="contents">Contents</h2><ol>${links.join('')}</ol></nav>
<main id="content">
`;
}

/** @param hasFigures whether the first section has the figures and the notices */
function headerHtml(head: ReportHead, hasFigures: boolean): string {
  const { name, type, framework, description, generated_by, id } = head;
  const kind = [reportTypeTitles[type], framework].filter((part) => part !== undefined);
  const lead = description === undefined ? '' : `<p class="lead">${proseHtml(description)}</p>\n`;
  const facts = [
    ...whoseOf(head),
    ...aboutOf(head),
    { label: 'Generated', value: generatedAt(head) },
    ...(head.prepared_by === undefined ? [{ label: 'By', value: generated_by }] : []),
    { label: 'Report', value: id },
  ].map(
    ({ label, value }) => `<div><dt>${escapeText(label)}</dt><dd>${proseHtml(value)}</dd></div>`,
  );
  const notices = (head.notices ?? []).map((text) => noticeHtml({ tone: 'warn', text }));
  const figures = hasFigures ? '' : `${figuresHtml(summaryFigures(head))}${notices.join('')}`;
  return `<header class="report">
<p class="kind">${escapeText(kind.join(' · '))}</p>
<h1>${escapeText(name)}</h1>
${lead}${figures}<dl class="about">${facts.join('')}</dl>
</header>
`;
}

function summaryFigures({ summary }: ReportHead): Figures['items'] {
  const { compliance_score: score } = summary;
  const count = (value: number): string => value.toLocaleString('en-US');
  return [
    { label: 'Compliance score', value: score === null ? '–' : `${score}%` },
    { label: 'Violations', value: count(summary.total_violations) },
    { label: 'Critical', value: count(summary.critical) },
    { label: 'High', value: count(summary.high) },
    { label: 'Medium', value: count(summary.medium) },
    { label: 'Low', value: count(summary.low) },
  ];
}

/** From where the sections end. */
export const endOfPage = ({ head }: ReportModel, script: string): string => `</main>
<footer><p>${escapeText(head.name)} · ${escapeText(head.id)} · made with ${escapeText(head.generator)}.</p></footer>
</div>
<script>${script}</script>
</body>
</html>
`;
