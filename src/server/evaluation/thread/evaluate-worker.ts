import { parentPort } from 'node:worker_threads';
import { createAnswers } from './answer.ts';
import type { Question } from './messages.ts';
import { giveWay } from '../../threads/give-way.ts';

giveWay();

/** The entry point of an evaluation thread: receives questions, posts answers. */
const answer = createAnswers();
parentPort?.on('message', (question: Question) => parentPort?.postMessage(answer(question)));
