import type {
  Control,
  ControlPolicy,
  Framework,
  FrameworkWithControls,
} from '../../contract/frameworks.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { paintSeverity } from '../terminal/severity.ts';
import { formatTable, numberColumn } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { policyFlag } from '../terminal/typed.ts';

export const scoreText = (score: number | null): string => (score === null ? '-' : String(score));

export const withData = (framework: Framework): string =>
  `${framework.controls_passed} of ${framework.controls_with_data}`;

const paints: Readonly<Record<string, (style: Style, text: string) => string>> = {
  COMPLIANT: (style, text) => style.green(text),
  PASSED: (style, text) => style.green(text),
  NON_COMPLIANT: (style, text) => style.red(text),
  FAILED: (style, text) => style.red(text),
  ERROR: (style, text) => style.yellow(text),
  not_evaluated: (style, text) => style.dim(text),
};

export const paintStatus = (
  text: string,
  { status }: { readonly status: string },
  style: Style,
): string => paints[status]?.(style, text) ?? text;

/** What a view of controls shows. */
interface Shown {
  /** The control that is asked for. */
  readonly control?: string | undefined;
  /** Also the controls without a policy. */
  readonly all: boolean;
}

export const frameworkView = (framework: Framework): View => ({
  value: framework,
  human: (style) => headLines(framework, style).join('\n').concat('\n'),
});

export const controlsView = (framework: FrameworkWithControls, shown: Shown): View => ({
  value: framework,
  rows: () => framework.controls,
  human: (style, columns) =>
    shown.control === undefined
      ? controlLines(framework, shown.all, style, columns)
      : framework.controls
          .map((control) => oneControl(framework, control, style, columns))
          .join('\n'),
});

function headLines(framework: Framework, style: Style): string[] {
  const { name, version, status, evaluated, compliance_score: score } = framework;
  const { total } = framework.control_counts;
  const own = framework.has_texts === true ? ', with imported titles' : '';
  const title = `${version === undefined ? name : `${name} (${version})`}${own}`;
  if (score === null) {
    return [
      `${style.bold(title)}  ${paintStatus(status, framework, style)}`,
      `  ${count(total, 'control')}; no mapped policy has been evaluated`,
    ];
  }
  return [
    `${style.bold(title)}  ${paintStatus(status, framework, style)}, score ${score}`,
    `  ${withData(framework)} controls with data passed, of ${inThrees(total)} controls`,
    `  ${count(evaluated, 'evaluation')} by ${count(framework.policies, 'policy', 'policies')}`,
  ];
}

function controlLines(
  framework: FrameworkWithControls,
  all: boolean,
  style: Style,
  columns: number,
): string {
  const { id, controls } = framework;
  const listed = all
    ? controls
    : controls.filter(({ policy_count: n, manual }) => n > 0 || manual !== undefined);
  const without = controls.length - listed.length;
  const failing = controls.find(({ status }) => status === 'FAILED' || status === 'ERROR');
  const lines = [
    ...headLines(framework, style),
    ...(listed.length === 0
      ? []
      : ['', formatTable(listed, controlColumns, style, columns).trimEnd()]),
    ...(without === 0
      ? []
      : [
          '',
          style.dim(
            `${inThrees(without)} more without a policy (to list all, run \`govctl framework show ${id} --all\`)`,
          ),
        ]),
    ...(failing ? ['', `For details, run \`govctl framework show ${id} ${failing.id}\`.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const statusText = ({ status, manual }: Control): string =>
  status === 'manual' && manual ? `manual until ${manual.expires.slice(0, 10)}` : status;

const controlColumns = [
  { title: 'CONTROL', cell: ({ id }: Control) => id },
  { title: 'STATUS', cell: statusText, paint: paintStatus },
  numberColumn('POLICIES', (row: Control) => row.policy_count),
  numberColumn('OPEN', (row: Control) => row.open_violations),
  { title: 'TITLE', cell: ({ title = '' }: Control) => title, shrinks: 'end' as const },
];

function oneControl(
  framework: FrameworkWithControls,
  control: Control,
  style: Style,
  columns: number,
): string {
  const { policies, policy_count: all } = control;
  const worst = policies.find(({ open }) => open > 0);
  const undecided = policies.find(({ error }) => error > 0);
  const details = formatDetails(
    `${framework.built_in ? framework.name : framework.id}:${control.id}`,
    [
      ['title', control.title],
      ['about', control.description?.replaceAll('\n', ' ')],
      ['part of', control.parent],
      ['status', statusText(control)],
      ['score', scoreText(control.compliance_score)],
      ['evidence', control.manual?.evidence_id],
      ['policies', all === policies.length ? String(all) : `${all}, showing ${policies.length}`],
    ],
    style,
    columns,
  );
  return [
    details,
    ...(policies.length === 0 ? [] : [formatTable(policies, policyColumns, style, columns)]),
    ...(worst
      ? [`To list violations, run \`govctl violation list ${policyFlag(worst)}\`.\n`]
      : undecided
        ? [`To list errors, run \`govctl evaluation list ${policyFlag(undecided)}\`.\n`]
        : []),
  ].join('\n');
}

const policyColumns = [
  { title: 'POLICY', cell: ({ name }: ControlPolicy) => name, shrinks: 'end' as const },
  {
    title: 'SEVERITY',
    cell: ({ severity }: ControlPolicy) => severity,
    paint: (text: string, { severity }: ControlPolicy, style: Style) =>
      paintSeverity(text, severity, style),
  },
  {
    title: 'PASS',
    cell: ({ pass, pending }: ControlPolicy) => (pending ? 'pending' : inThrees(pass)),
    isRight: true as const,
  },
  numberColumn('FAIL', ({ fail }: ControlPolicy) => fail),
  numberColumn('ERROR', ({ error }: ControlPolicy) => error),
  numberColumn('EXEMPT', ({ exempt }: ControlPolicy) => exempt),
  numberColumn('OPEN', ({ open }: ControlPolicy) => open),
];
