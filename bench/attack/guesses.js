// Sends wrong report passwords over a link, and wrong tokens.
import { again, asked, headersOf } from './attack.js';

again(
  (turn) => ({
    name: 'wrong password',
    path: asked.link,
    headers: { 'x-service-report-password': `guess number ${turn}` },
  }),
  { atOnce: 2, pause: 100 },
);
again(
  (turn) => ({
    name: 'wrong token',
    path: '/v1/policies',
    headers: headersOf(`gk_${String(turn).padStart(43, 'x')}`),
  }),
  { atOnce: 5, pause: 50 },
);
