import { statusTones } from '../tones.ts';

/**
 * What makes tables sortable, filterable and paged in a browser. All rows are JSON beside the table; without this script
 * the first ones are there as HTML. It is kept in the style of what browsers take as it is.
 */
export const tableScript = String.raw`(() => {
'use strict';
const pageSize = 200;
const printedMost = 5000;
const tones = ${JSON.stringify(statusTones)};
const severities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
const numbers = new Set(['integer', 'decimal', 'percent', 'money']);
const collator = new Intl.Collator('en', { numeric: true });
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const part = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const make = (tag, fields = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
};
const textOf = (cell, type) => {
  if (cell === null) return '–';
  if (typeof cell !== 'number') return cell;
  if (type === 'money') return cents.format(cell);
  return type === 'integer' ? whole.format(cell) : part.format(cell) + (type === 'percent' ? '%' : '');
};

function contentOf(cell, type) {
  const text = textOf(cell, type);
  if (cell === null) return make('span', { className: 'nil' }, text);
  if (type === 'severity') {
    const known = severities.includes(text.toUpperCase()) ? ' whole sev-' + text.toLowerCase() : '';
    return make('span', { className: 'sev' + known }, text);
  }
  if (type === 'status') {
    const word = text.toLowerCase();
    const tone = Object.hasOwn(tones, word) ? ' whole ' + tones[word] : '';
    return make('span', { className: 'stat' + tone }, text);
  }
  if (type === 'timestamp' || type === 'date') {
    const [, date, time] = /^(\d{4}-\d{2}-\d{2})(.*)$/s.exec(text) ?? [];
    if (date !== undefined) return make('span', {}, make('span', { className: 'whole' }, date), time);
  }
  if (typeof cell === 'string' && /^https?:\/\/[!-~]+$/i.test(cell) && URL.canParse(cell)) {
    return make('a', { href: cell, rel: 'noopener noreferrer' }, text);
  }
  return text;
}

const keyOf = (cell, type) =>
  type === 'severity' && cell !== null ? severities.indexOf(String(cell).toUpperCase()) : cell;

function compareBy(type) {
  if (numbers.has(type) || type === 'severity') return (a, b) => a - b;
  if (type === 'timestamp' || type === 'date' || type === 'id') return (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return (a, b) => collator.compare(a, b);
}

function sorted(rows, at, type, direction) {
  const compare = compareBy(type);
  const keyed = rows.map((row, place) => ({ row, place, key: keyOf(row[at], type) }));
  const mixed = (a, b) => (typeof a === typeof b ? compare(a, b) : typeof a === 'number' ? -1 : 1);
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.place - b.place;
    return direction * mixed(a.key, b.key) || a.place - b.place;
  });
  return keyed.map(({ row }) => row);
}

function enhance(root) {
  const table = root.querySelector('table');
  const [body] = table.tBodies;
  const columns = JSON.parse(root.querySelector('script.columns').textContent);
  const rows = [];
  for (const part of root.querySelectorAll('script.rows')) {
    for (const row of JSON.parse(part.textContent)) rows.push(row);
    part.remove();
  }
  const box = table.parentElement;
  const sizes = new ResizeObserver(() => box.classList.toggle('fits', table.offsetWidth <= box.clientWidth));
  for (const one of [box, table]) sizes.observe(one);
  if (rows.length < 2) return;
  root.querySelector('.more')?.remove();
  const heads = [...table.tHead.rows[0].cells];
  const titles = heads.map((head) => head.textContent);
  const cols = [...table.querySelectorAll('col')];
  const main = heads.filter((head) => !head.hidden).length;
  const isLined = main < heads.length;
  const state = { all: false, words: [], chosen: new Map(), at: -1, direction: 1, page: 0 };
  let shown = rows;
  let haystacks;

  const lineBelow = (row) =>
    row.flatMap((cell, at) => {
      if (at < main || cell === null || cell === '') return [];
      const isTime = columns[at] === 'timestamp';
      const title = isTime ? titles[at].replace(/ \(UTC\)$/, '') : titles[at];
      return [title + ': ' + textOf(cell, columns[at]) + (isTime ? ' UTC' : '')];
    }).join(' · ');
  const rowOf = (row, place) => {
    const even = place % 2 === 1 ? ' even' : '';
    const line = make('tr', { className: isLined ? 'row' + even : '' });
    row.slice(0, state.all ? row.length : main).forEach((cell, at) => {
      const type = columns[at];
      const name = numbers.has(type) ? 'number' : type;
      const place = make('td', { className: name });
      const content = contentOf(cell, type);
      place.append(root.classList.contains('cards') && typeof content === 'string' ? make('span', {}, content) : content);
      line.append(place);
    });
    const under = state.all ? '' : lineBelow(row);
    if (under === '') return [line];
    line.classList.add('split');
    return [line, make('tr', { className: 'below' + even }, make('td', { colSpan: main }, under))];
  };
  const fill = (part) => body.replaceChildren(...part.flatMap(rowOf));

  const status = make('p');
  status.setAttribute('role', 'status');
  const pager = make('div', { className: 'pager' });
  const pages = () => Math.max(1, Math.ceil(shown.length / pageSize));
  const go = (page) => {
    state.page = Math.min(Math.max(0, page), pages() - 1);
    show();
  };
  const button = (text, target, isOff) => {
    const one = make('button', { type: 'button' }, text);
    one.addEventListener('click', () => {
      if (one.getAttribute('aria-disabled') === 'true') return;
      go(target());
      table.scrollIntoView({ block: 'start' });
    });
    one.refresh = () => one.setAttribute('aria-disabled', String(isOff()));
    return one;
  };
  const isFirst = () => state.page === 0;
  const isLast = () => state.page === pages() - 1;
  const buttons = [
    button('First', () => 0, isFirst),
    button('Previous', () => state.page - 1, isFirst),
    button('Next', () => state.page + 1, isLast),
    button('Last', () => pages() - 1, isLast),
  ];
  const place = make('span');
  pager.append(...buttons.slice(0, 2), place, ...buttons.slice(2));
  pager.setAttribute('role', 'group');
  pager.setAttribute('aria-label', 'Pages');

  function show() {
    const from = state.page * pageSize;
    fill(shown.slice(from, from + pageSize));
    const all = whole.format(rows.length);
    const range = pages() > 1 ? whole.format(from + 1) + '–' + whole.format(Math.min(from + pageSize, shown.length)) + ' of ' : '';
    const count = shown.length === rows.length ? all : whole.format(shown.length) + ' of ' + all;
    status.textContent = range + count + ' rows';
    pager.hidden = pages() === 1;
    place.textContent = 'Page ' + whole.format(state.page + 1) + ' of ' + whole.format(pages());
    for (const one of buttons) one.refresh();
  }

  function update() {
    const chosen = [...state.chosen].filter(([, value]) => value !== '');
    if (state.words.length > 0) {
      haystacks ??= rows.map((row) => row.map((cell, at) => textOf(cell, columns[at])).join('\n').toLowerCase());
    }
    shown = rows.filter(
      (row, n) => chosen.every(([at, value]) => row[at] === value) && state.words.every((word) => haystacks[n].includes(word)),
    );
    if (state.at >= 0) shown = sorted(shown, state.at, columns[state.at], state.direction);
    heads.forEach((head, at) => {
      if (at !== state.at) head.removeAttribute('aria-sort');
      else head.setAttribute('aria-sort', state.direction > 0 ? 'ascending' : 'descending');
    });
    sorter.value = state.at < 0 ? '' : state.at + ' ' + state.direction;
    go(0);
  }

  const sorter = make('select', {}, make('option', { value: '' }, 'Report order'));
  titles.forEach((title, at) => {
    sorter.append(make('option', { value: at + ' 1' }, title + ' ↑'), make('option', { value: at + ' -1' }, title + ' ↓'));
  });
  sorter.addEventListener('change', () => {
    const [at, direction] = sorter.value === '' ? [-1, 1] : sorter.value.split(' ').map(Number);
    Object.assign(state, { at, direction });
    update();
  });
  heads.forEach((head, at) => {
    const sort = make('button', { type: 'button' }, titles[at]);
    sort.addEventListener('click', () => {
      if (state.at !== at) Object.assign(state, { at, direction: 1 });
      else if (state.direction > 0) state.direction = -1;
      else Object.assign(state, { at: -1, direction: 1 });
      update();
    });
    head.replaceChildren(sort);
  });

  const filter = make('input', { type: 'search', autocomplete: 'off', spellcheck: false });
  let timer;
  filter.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      state.words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      update();
    }, rows.length > 5000 ? 200 : 60);
  });
  const bar = make('div', { className: 'bar' });
  if (rows.length > 5) bar.append(make('label', {}, 'Filter', filter));
  columns.forEach((type, at) => {
    if (rows.length <= 5 || (type !== 'severity' && type !== 'status')) return;
    const values = [...new Set(rows.map((row) => row[at]))].filter((value) => typeof value === 'string').slice(0, 50);
    if (values.length < 2) return;
    values.sort((a, b) => (type === 'severity' ? keyOf(b, type) - keyOf(a, type) : collator.compare(a, b)));
    const choice = make('select', {}, make('option', { value: '' }, 'All'), ...values.map((value) => make('option', { value }, value)));
    choice.addEventListener('change', () => {
      state.chosen.set(at, choice.value);
      update();
    });
    bar.append(make('label', {}, titles[at], choice));
  });
  bar.append(make('label', { className: 'sorter' }, 'Sort by', sorter));
  if (isLined) {
    const all = make('input', { type: 'checkbox' });
    all.addEventListener('change', () => {
      state.all = all.checked;
      for (const one of [...heads, ...cols].filter((_, n) => n % heads.length >= main)) one.hidden = !state.all;
      show();
    });
    bar.append(make('label', { className: 'all' }, all, 'All columns'));
  }
  root.querySelector('.top').append(status);
  box.before(bar);
  box.after(pager);
  show();

  const left = make('p', { className: 'more' });
  addEventListener('beforeprint', () => {
    if (shown.length <= pageSize) return;
    fill(shown.slice(0, printedMost));
    if (shown.length <= printedMost) return;
    left.textContent = whole.format(shown.length - printedMost) + ' more rows are in the file but not printed.';
    box.after(left);
  });
  addEventListener('afterprint', () => {
    left.remove();
    if (shown.length > pageSize) show();
  });
}

for (const root of document.querySelectorAll('.table')) enhance(root);
addEventListener('beforeprint', () => {
  for (const one of document.querySelectorAll('details')) one.open = true;
});
})();
`;
