import type { ReportType } from '../contract/reports.ts';

/**
 * What a report says, whatever its format: sections of blocks. Every format is made of this alone, so that all of them
 * say the same. Rows of tables are read in batches and again for each format; everything else is small.
 */
export interface ReportModel {
  readonly head: ReportHead;
  readonly sections: readonly Section[];
}

export interface ReportHead {
  readonly id: string;
  readonly name: string;
  readonly type: ReportType;
  readonly framework?: string;
  readonly description?: string;
  /** ISO 8601 UTC. */
  readonly generated_at: string;
  /** The zone that what is told of it as a whole is in; default UTC. Times in tables say their own. */
  readonly timezone?: string;
  /** Names, for the title page: whose policies these are, who it is for, and who asked for it. */
  readonly organization?: string;
  readonly prepared_for?: string;
  readonly prepared_by?: string;
  /** Who asked for it: a `user_…` id. */
  readonly generated_by: string;
  /** What it is about, in words, in the order it is shown: environments, providers, range, … */
  readonly about: readonly LabelledValue[];
  /** The time it is about, in words; `about` has it, too. */
  readonly period?: string;
  /** Sentences that must stand beside the figures of the title page. */
  readonly notices?: readonly string[];
  /** As in `govctl 0.1.0`. */
  readonly generator: string;
  /** The figures of the title page and of lists. */
  readonly summary: ReportSummary;
  /** The id of the table that a CSV file is of. */
  readonly mainTable: string;
}

export interface ReportSummary {
  /** 0 to 100, two decimals; null where nothing was evaluated. */
  readonly compliance_score: number | null;
  readonly total_violations: number;
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
}

export interface Section {
  /** A slug, unique in its report. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block = Paragraph | Notice | Figures | Heading | Chart | Table;

interface Heading {
  readonly kind: 'heading';
  readonly text: string;
}

export interface Paragraph {
  readonly kind: 'paragraph';
  readonly text: string;
}

/** Something that must not be overlooked. */
export interface Notice {
  readonly kind: 'notice';
  readonly tone: Tone;
  readonly text: string;
}

/** How good or bad something is; formats choose a colour, and say it in words or signs, too. */
export type Tone = 'good' | 'bad' | 'warn' | 'neutral';

export interface LabelledValue {
  readonly label: string;
  readonly value: string;
}

/** A few figures side by side. */
export interface Figures {
  readonly kind: 'figures';
  readonly items: readonly (LabelledValue & { readonly tone?: Tone; readonly note?: string })[];
}

/** Colours go by meaning: severities and statuses have theirs, the rest is numbered. */
export type SeriesColour =
  | 'critical'
  | 'high'
  | 'medium'
  | 'low'
  | 'pass'
  | 'fail'
  | 'exempt'
  | 'error'
  | 'first'
  | 'second'
  | 'third'
  | 'fourth'
  | 'fifth'
  | 'sixth'
  | 'others';

export interface Series {
  readonly name: string;
  readonly colour: SeriesColour;
  /** One value per category; null means no value, a gap in a line. */
  readonly values: readonly (number | null)[];
}

/**
 * `bars` are horizontal, one for each category, stacked where there are several series; `lines` go over categories that
 * are ISO times; `ring` shows the shares of one series' categories, coloured by `colours`.
 */
export interface Chart {
  readonly kind: 'chart';
  readonly id: string;
  readonly title: string;
  /** What there is to see, in a sentence: for those who can't see it. */
  readonly description: string;
  readonly form: 'bars' | 'lines' | 'ring';
  /**
   * Otherwise than its form says: values over time as upright `columns`, which suits amounts of each period; bars as a
   * `waterfall`, each from the value before to its own, on a scale that shows these steps.
   */
  readonly drawn?: 'columns' | 'waterfall';
  readonly categories: readonly string[];
  readonly series: readonly Series[];
  readonly colours?: readonly SeriesColour[];
  /** Of the values, as in `%` or `violations`. */
  readonly unit?: string;
  /** The end of the scale, where it is known, as 100 is of percent. */
  readonly most?: number;
}

export type Cell = string | number | boolean | null;
export type Row = readonly Cell[];

/**
 * How the cells of a column are read: `timestamp` and `date` are ISO 8601 texts; `percent` is 0 to 100; `money` is a
 * decimal with all digits, as a text, shown with two after the point; `severity`, `status` are words that formats colour; `id` is shown in a monospaced face.
 */
export type CellType =
  | 'text'
  | 'id'
  | 'integer'
  | 'decimal'
  | 'percent'
  | 'money'
  | 'timestamp'
  | 'date'
  | 'severity'
  | 'status';

export interface Column {
  /** A slug, unique in its table: the name in CSV and JSON. */
  readonly id: string;
  readonly title: string;
  readonly type: CellType;
  /** Its share of a page's width beside the others'. */
  readonly width: number;
  /**
   * Where it is for reading; absent: among the others. `below`: in a small line under the row, with its title, where
   * it has a value; `data`: nowhere. Spreadsheets, CSV and JSON have it as a column all the same.
   */
  readonly shown?: 'below' | 'data';
}

export interface Table {
  readonly kind: 'table';
  /** A slug, unique in its report. */
  readonly id: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** All rows in their order, some hundred at a time; may be read again and again. */
  readonly rows: () => AsyncIterable<readonly Row[]>;
  /** What is said where there are no rows. */
  readonly empty: string;
  /** How pages show it; absent: row after row. Other formats have every row as it is. */
  readonly paper?: Paper;
}

/** How pages show rows: in groups. All names are ids of columns. */
export interface Paper {
  /** What the rows of a group have in common, the name of the group first; none: all are one group without a heading. */
  readonly by: readonly string[];
  /** Side by side, a line for each row. */
  readonly columns: readonly string[];
  /** Once for a group where all of its rows agree; otherwise in a small line under each. */
  readonly once: readonly string[];
  /** How many rows are shown; default 500. */
  readonly most?: number;
  /** By what they are chosen where there are more, the most telling column first. */
  readonly rank: readonly string[];
  /** Which ones these are, as in `those with the highest risk`. */
  readonly chosen: string;
  /** What a row is, and what several are, as in `violation` and `violations`. */
  readonly unit: readonly [one: string, many: string];
}
