import type { SeriesColour } from '../model.ts';

/** What a shape is painted with; each format has its own colours for these, for light and for dark. */
export type Paint = SeriesColour | 'text' | 'muted' | 'grid' | 'background';

/** A chart as shapes, in points from its top left corner: the same ones go into HTML and PDF. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

export type Shape = PathShape | TextShape;

export interface PathShape {
  readonly kind: 'path';
  /** SVG path data. */
  readonly d: string;
  readonly fill?: Paint;
  readonly stroke?: Paint;
  readonly strokeWidth?: number;
  readonly dash?: readonly number[];
  /** What it stands for, as in `CRITICAL: 12`: shown by formats that can. */
  readonly label?: string;
}

export interface TextShape {
  readonly kind: 'text';
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly bold?: boolean;
  readonly fill: Paint;
}

/** The width of a text in points, in the face of the format that draws it. */
export type MeasureText = (text: string, size: number, bold: boolean) => number;

export interface DrawOptions {
  /** Points; under 160 it is drawn for 160. */
  readonly width: number;
  readonly measure: MeasureText;
}
