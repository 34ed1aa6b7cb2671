import { parentPort } from 'node:worker_threads';
import { whenKnown } from '../../awaitable.ts';
import { answerTo, createAnswers } from './answer.ts';
import type { Question } from './messages.ts';
import { giveWay } from '../../threads/give-way.ts';

giveWay();

/** The entry point of an evaluation thread: receives questions, posts answers. */
const answer = createAnswers();
parentPort?.on(
  'message',
  (question: Question) =>
    void whenKnown(answerTo(answer, question), (answered) => parentPort?.postMessage(answered)),
);
