import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { evaluationLanes, evaluationWork, layWork, workShape } from './work.ts';
import type { Work } from './work.ts';

export const evaluationModule = {
  collections: [stores(evaluationWork, workShape)],
  lanes: [
    {
      spec: evaluationLanes,
      owners: evaluationWork.name,
      workIsOwner: true,
      lay: (tx, doc) => layWork(tx, doc as Work),
    },
  ],
} satisfies Module;
