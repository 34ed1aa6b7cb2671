import type { LaneQuery, LaneState, LaneWork } from '../store.ts';
import type { Lane } from './lane.ts';
import { compareAscending, OrderedView } from './sorted-keys.ts';
import type { Piece } from './work-queue.ts';

/** What a reader sees of a family: its durable lanes, then the changes above them, the newest last. */
export type LanesView = readonly ReadonlyMap<string, Lane>[];

/** One lane so: the positions of a later layer are behind those of the earlier. */
type LaneLayers = readonly Lane[];

const layersOf = (view: LanesView, name: string): LaneLayers => {
  const layers: Lane[] = [];
  for (const lanes of view) {
    const lane = lanes.get(name);
    if (lane) layers.push(lane);
  }
  return layers;
};

const goneOf = (layers: LaneLayers): number => {
  let gone = 0;
  for (const lane of layers) gone = Math.max(gone, lane.gone);
  return gone;
};

const pieceAfter = (layers: LaneLayers, position: number): Piece | undefined => {
  for (const { queue } of layers) {
    const piece = queue.after(position);
    if (piece) return piece;
  }
  return undefined;
};

export const laneHead = (view: LanesView, name: string): Piece | undefined => {
  const layers = layersOf(view, name);
  return pieceAfter(layers, goneOf(layers));
};

const dueAtOf = (layers: LaneLayers): number =>
  layers.findLast(({ dueAt }) => dueAt !== undefined)?.dueAt ?? 0;

/** In milliseconds since the epoch; 0: at once. */
export const laneDueAt = (view: LanesView, name: string): number => dueAtOf(layersOf(view, name));

export const laneState = (view: LanesView, name: string): LaneState => {
  const layers = layersOf(view, name);
  const gone = goneOf(layers);
  const dueAt = dueAtOf(layers);
  return {
    waiting: layers.reduce((count, { queue }) => count + queue.countAfter(gone), 0),
    held: layers.findLast(({ held }) => held !== undefined)?.held ?? false,
    ...(dueAt > 0 && { dueAt }),
  };
};

/** Where reading a lane goes on. */
interface Place {
  readonly value: number;
  readonly id: string;
  readonly layers: LaneLayers;
  readonly piece: Piece;
}

const placeAfter = (id: string, layers: LaneLayers, position: number): Place[] => {
  const piece = pieceAfter(layers, Math.max(position, goneOf(layers)));
  return piece ? [{ value: piece.position, id, layers, piece }] : [];
};

const workOfOne = (view: LanesView, lane: string, after: number, limit: number): LaneWork[] => {
  const layers = layersOf(view, lane);
  const found: LaneWork[] = [];
  for (let last = Math.max(after, goneOf(layers)); found.length < limit;) {
    const piece = pieceAfter(layers, last);
    if (!piece) break;
    found.push({ lane, ...piece });
    last = piece.position;
  }
  return found;
};

/** Merges all lanes: the next of each stands in an order, the first of which is the next of all. */
const workOfAll = (view: LanesView, after: number, limit: number): LaneWork[] => {
  const names = new Set(view.flatMap((lanes) => [...lanes.keys()]));
  const next = new OrderedView<Place>((place) => place);
  const first = Array.from(names).flatMap((name) => placeAfter(name, layersOf(view, name), after));
  next.append(first.sort(compareAscending));
  const found: LaneWork[] = [];
  while (found.length < limit) {
    const place = next.first();
    if (!place) break;
    found.push({ lane: place.id, ...place.piece });
    next.remove(place);
    for (const later of placeAfter(place.id, place.layers, place.value)) next.insert(later);
  }
  return found;
};

export const laneWork = (view: LanesView, { lane, after = 0, limit }: LaneQuery): LaneWork[] =>
  lane === undefined ? workOfAll(view, after, limit) : workOfOne(view, lane, after, limit);
