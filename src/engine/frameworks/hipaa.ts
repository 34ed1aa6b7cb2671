import type { Catalogue } from './catalogue.ts';
import { hipaaTitles } from './titles/hipaa.ts';

/** Standards and specifications by section, a blank between them. */
const sections = {
  '164.306': '(a)(1) (a)(2) (a)(3) (a)(4) (b)(1) (b)(2) (c) (d)(1) (d)(2) (d)(3) (e)',
  '164.308(a)': [
    '(1)(i) (1)(ii)(A) (1)(ii)(B) (1)(ii)(C) (1)(ii)(D) (2) (3)(i) (3)(ii)(A) (3)(ii)(B)',
    '(3)(ii)(C) (4)(i) (4)(ii)(A) (4)(ii)(B) (4)(ii)(C) (5)(i) (5)(ii)(A) (5)(ii)(B)',
    '(5)(ii)(C) (5)(ii)(D) (6)(i) (6)(ii) (7)(i) (7)(ii)(A) (7)(ii)(B) (7)(ii)(C)',
    '(7)(ii)(D) (7)(ii)(E) (8)',
  ].join(' '),
  '164.308(b)': '(1) (2) (3)',
  '164.310': '(a)(1) (a)(2)(i) (a)(2)(ii) (a)(2)(iii) (a)(2)(iv) (b) (c) (d)(1)',
  '164.310(d)(2)': '(i) (ii) (iii) (iv)',
  '164.312': '(a)(1) (a)(2)(i) (a)(2)(ii) (a)(2)(iii) (a)(2)(iv) (b) (c)(1) (c)(2) (d)',
  '164.312(e)': '(1) (2)(i) (2)(ii)',
  '164.314': '(a)(1) (a)(2)(i)(A) (a)(2)(i)(B) (a)(2)(i)(C) (a)(2)(ii) (a)(2)(iii) (b)(1)',
  '164.314(b)(2)': '(i) (ii) (iii) (iv)',
  '164.316': '(a) (b)(1)(i) (b)(1)(ii) (b)(2)(i) (b)(2)(ii) (b)(2)(iii)',
};

export const hipaa: Catalogue = {
  id: 'hipaa',
  name: 'HIPAA',
  version: '45 CFR 164 subpart C',
  controls: Object.entries(sections).flatMap(([section, paragraphs]) =>
    paragraphs.split(' ').map((paragraph) => `${section}${paragraph}`),
  ),
  titles: hipaaTitles,
};
