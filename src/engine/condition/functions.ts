import { allowsEverybody } from './aws-statement.ts';
import { divide, add, multiply, negate, not, remainder, subtract } from './arithmetic.ts';
import { equal, greater, greaterOrEqual, isIn, less, lessOrEqual, notEqual } from './compare.ts';
import {
  decodeBase64,
  dyn,
  encodeBase64,
  toBool,
  toBytes,
  toDouble,
  toDuration,
  toInt,
  toText,
  toTimestamp,
  toUint,
  typeOf,
} from './convert.ts';
import { format, quote } from './format.ts';
import { mathFunctions } from './math.ts';
import { cidrContains, isInternet, isPrivate } from './network.ts';
import { optionalFunctions, optionalMethods } from './optionals.ts';
import { matches } from './regex.ts';
import {
  charAt,
  contains,
  endsWith,
  indexOf,
  join,
  lastIndexOf,
  lowerAscii,
  replace,
  reverse,
  size,
  split,
  startsWith,
  substring,
  trim,
  upperAscii,
} from './text.ts';
import { timeField, timeFields } from './time.ts';
import type { Strict } from './values.ts';

/** The operators of the syntax tree that take values as they are. */
export const operators: ReadonlyMap<string, Strict> = new Map<string, Strict>([
  ['==', equal],
  ['!=', notEqual],
  ['<', less],
  ['<=', lessOrEqual],
  ['>', greater],
  ['>=', greaterOrEqual],
  ['in', isIn],
  ['+', add],
  ['-', subtract],
  ['*', multiply],
  ['/', divide],
  ['%', remainder],
  ['!_', not],
  ['-_', negate],
]);

/** Functions by name and number of arguments. A receiver is the first of them. */
const functions: ReadonlyMap<string, Strict> = new Map<string, Strict>([
  ['size/1', size],
  ['type/1', typeOf],
  ['dyn/1', dyn],
  ['int/1', toInt],
  ['uint/1', toUint],
  ['double/1', toDouble],
  ['string/1', toText],
  ['bool/1', toBool],
  ['bytes/1', toBytes],
  ['timestamp/1', toTimestamp],
  ['duration/1', toDuration],
  ['cidr_contains/2', cidrContains],
  ['is_internet/1', isInternet],
  ['is_private/1', isPrivate],
  ['allows_everybody/1', allowsEverybody],
  ['strings.quote/1', quote],
  ['base64.encode/1', encodeBase64],
  ['base64.decode/1', decodeBase64],
  ...mathFunctions,
  ...optionalFunctions,
]);

const methods: ReadonlyMap<string, Strict> = new Map<string, Strict>([
  ['size/1', size],
  ['contains/2', contains],
  ['startsWith/2', startsWith],
  ['endsWith/2', endsWith],
  ['matches/2', matches],
  ['charAt/2', charAt],
  ['indexOf/2', indexOf],
  ['indexOf/3', indexOf],
  ['lastIndexOf/2', lastIndexOf],
  ['lastIndexOf/3', lastIndexOf],
  ['lowerAscii/1', lowerAscii],
  ['upperAscii/1', upperAscii],
  ['replace/3', replace],
  ['replace/4', replace],
  ['split/2', split],
  ['split/3', split],
  ['join/1', join],
  ['join/2', join],
  ['substring/2', substring],
  ['substring/3', substring],
  ['trim/1', trim],
  ['reverse/1', reverse],
  ['format/2', format],
  ...optionalMethods,
  ...timeFields.flatMap((name): [string, Strict][] => {
    const field = timeField(name);
    return [
      [`${name}/1`, field],
      [`${name}/2`, field],
    ];
  }),
]);

export const findFunction = (name: string, count: number): Strict | undefined =>
  functions.get(`${name}/${count}`);

/** @param count of arguments, the receiver included */
export const findMethod = (name: string, count: number): Strict | undefined =>
  methods.get(`${name}/${count}`);
