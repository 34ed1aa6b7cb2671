import { fillIn } from '../../fill-in.ts';
import type { MessageLink, ReportMessage } from './channel.ts';
import { figuresOf, oneLine, sentenceOf, sizeOf } from './wording.ts';

/** What goes along with an e-mail. */
export interface Enclosed {
  readonly attached: ReportMessage['files'];
  readonly links: readonly MessageLink[];
}

export const defaultSubject = '{{report}}, {{date}}';

/** `{{date}}` is the day it was due; `{{report}}` its name. That nothing came of it shows at once. */
export const subjectOf = (subject: string, { report, date }: ReportMessage): string =>
  oneLine(
    `${report.status === 'failed' ? 'Failed: ' : ''}${fillIn(subject, { date, report: report.name })}`,
    250,
  );

export function textOf(message: ReportMessage, { attached, links }: Enclosed): string {
  const figures = figuresOf(message);
  return [
    oneLine(message.report.name, 256),
    '',
    sentenceOf(message),
    ...(figures.length > 0 ? [''] : []),
    ...figures.map(({ label, value }) => `${label}: ${value}`),
    ...(attached.length > 0 ? ['', 'Attached:'] : []),
    ...attached.map(({ filename, size }) => `  ${oneLine(filename, 200)} (${sizeOf(size)})`),
    ...(links.length > 0 ? ['', `Download, until ${untilOf(links)}:`] : []),
    ...links.map(({ format, url }) => `  ${format}: ${url}`),
    '',
    ...footOf(message),
    '',
  ].join('\n');
}

export function htmlOf(message: ReportMessage, { attached, links }: Enclosed): string {
  const cells = figuresOf(message).map(
    ({ label, value }) =>
      `<tr><th scope="row" style="padding:2px 16px 2px 0;text-align:left;font-weight:normal">${escaped(label)}</th><td><b>${escaped(value)}</b></td></tr>`,
  );
  const name = escaped(oneLine(message.report.name, 256));
  const parts = [
    `<h1 style="margin:0 0 12px;font-size:20px">${name}</h1>`,
    `<p>${escaped(sentenceOf(message))}</p>`,
    cells.length > 0 ? `<table>${cells.join('')}</table>` : '',
    attached.length > 0 ? `<p>Attached:</p><ul>${attached.map(attachedItem).join('')}</ul>` : '',
    links.length > 0
      ? `<p>Download, until ${escaped(untilOf(links))}:</p><ul>${links.map(linkItem).join('')}</ul>`
      : '',
    `<p style="color:#666;font-size:12px">${footOf(message).map(escaped).join('<br>')}</p>`,
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title></head><body style="font-family:sans-serif"><main>${parts.join('\n')}</main></body></html>\n`;
}

const attachedItem = ({ filename, size }: ReportMessage['files'][number]): string =>
  `<li>${escaped(oneLine(filename, 200))} (${sizeOf(size)})</li>`;

const linkItem = ({ format, url }: MessageLink): string =>
  `<li><a href="${escaped(url)}">${escaped(format)}</a></li>`;

const untilOf = (links: readonly MessageLink[]): string => links[0]?.expires_at.slice(0, 10) ?? '';

const footOf = ({ report, schedule }: ReportMessage): string[] => [
  `Report ${report.id}`,
  ...(schedule ? [`Sent by the schedule "${oneLine(schedule.name, 256)}" (${schedule.id})`] : []),
];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
