import { parentPort } from 'node:worker_threads';
import { renderFile } from '../../../../report/formats/render-file.ts';
import { serveRenders } from './serve.ts';
import { giveWay } from '../../../threads/give-way.ts';

giveWay();

/** The entry of a worker thread: what to render in, the file out. */
if (parentPort) serveRenders(parentPort, renderFile);
