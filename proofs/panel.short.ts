import { inPanel } from './panel/visit.ts';

inPanel('the first screen opens', async ({ open, look }) => {
  await open('/');
  await look('today');
});
