import { type RefObject, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import './reorder.css';
import { t } from '../language/texts.ts';

/** Handlers and attributes for the rows of a sortable list. */
export interface Reorder {
  list: RefObject<HTMLUListElement | null>;
  /** Whether the row is being dragged. */
  dragged: (index: number) => boolean;
  grab: (index: number) => void;
  step: (index: number, by: -1 | 1) => void;
  count: number;
  /** Describes the last move for screen readers. */
  said: string;
}

/**
 * Sorts a list by pointer (mouse, pen, touch) or with buttons. Each row has a `data-index`. The focus stays on the
 * button that moved a row.
 */
export function useReorder(count: number, onMove: (from: number, to: number) => void): Reorder {
  const list = useRef<HTMLUListElement>(null);
  const [at, setAt] = useState<number>();
  const place = useRef<number>(undefined);
  const [said, setSaid] = useState('');

  function move(from: number, to: number) {
    onMove(from, to);
    setSaid(t('Moved to position {to} of {count}.', { to: to + 1, count }));
  }

  function step(index: number, by: -1 | 1) {
    const to = index + by;
    if (to < 0 || to >= count) return;
    // The row is drawn at its new position before the focus follows it there.
    flushSync(() => move(index, to));
    const name = by < 0 ? 'up' : 'down';
    const row = list.current?.querySelector(`[data-index="${to}"]`);
    const button = row?.querySelector<HTMLElement>(`[data-move="${name}"]:not(:disabled)`);
    (button ?? row?.querySelector<HTMLElement>('[data-move]:not(:disabled)'))?.focus();
  }

  const latest = useRef(move);
  latest.current = move;
  const dragging = at !== undefined;
  // Listens on the document, because the dragged row moves in the DOM and would lose the pointer.
  useEffect(() => {
    if (!dragging) return;
    let pointer: { x: number; y: number } | undefined;
    const moveTo = ({ x, y }: { x: number; y: number }) => {
      // The save bar may cover rows at the edge.
      const seen = Math.min(Math.max(y, EDGE_PX), window.innerHeight - EDGE_PX);
      const under = document.elementFromPoint(x, seen)?.closest('[data-index]');
      if (!under || !list.current?.contains(under)) return;
      const to = Number(under.getAttribute('data-index'));
      const from = place.current;
      if (from === undefined || from === to) return;
      place.current = to;
      // Without flushSync, the next event may come before React has drawn the list, and would move a row of the old
      // one.
      flushSync(() => {
        latest.current(from, to);
        setAt(to);
      });
    };
    const onPointerMove = (event: PointerEvent) => {
      pointer = { x: event.clientX, y: event.clientY };
      moveTo(pointer);
    };
    // Scrolls while a row is dragged to the edge of the window.
    const scrolling = setInterval(() => {
      const by = pointer ? scrollAt(pointer.y) : 0;
      if (!pointer || by === 0) return;
      window.scrollBy(0, by);
      moveTo(pointer);
    }, SCROLL_EVERY_MS);
    const onEnd = () => setAt(undefined);
    document.addEventListener('pointermove', onPointerMove);
    document.addEventListener('pointerup', onEnd);
    document.addEventListener('pointercancel', onEnd);
    return () => {
      clearInterval(scrolling);
      document.removeEventListener('pointermove', onPointerMove);
      document.removeEventListener('pointerup', onEnd);
      document.removeEventListener('pointercancel', onEnd);
    };
  }, [dragging]);

  const grab = (index: number) => {
    place.current = index;
    setAt(index);
  };
  return { list, dragged: (index) => at === index, grab, step, count, said };
}

const SCROLL_EVERY_MS = 16;
const SCROLL_BY = 10;
/** Distance to the edge of the window within which scrolling starts. The save bar may cover rows that are closer. */
const EDGE_PX = 80;

function scrollAt(y: number): number {
  if (y < EDGE_PX) return -SCROLL_BY;
  return y > window.innerHeight - EDGE_PX ? SCROLL_BY : 0;
}

/** The drag handle of a row, and the buttons that move it by one position. */
export function ReorderControls({ reorder, index, name }: { reorder: Reorder; index: number; name: string }) {
  return (
    <div className="reorder">
      <span
        className="grip"
        aria-hidden="true"
        title={t('Drag to move')}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.preventDefault();
          reorder.grab(index);
        }}
      >
        ⠿
      </span>
      <button
        type="button"
        data-move="up"
        aria-label={t('Move {name} up', { name })}
        disabled={index === 0}
        onClick={() => reorder.step(index, -1)}
      >
        ↑
      </button>
      <button
        type="button"
        data-move="down"
        aria-label={t('Move {name} down', { name })}
        disabled={index === reorder.count - 1}
        onClick={() => reorder.step(index, 1)}
      >
        ↓
      </button>
    </div>
  );
}

/** A copy of the list with one element moved. */
export function moved<Element>(list: Element[], from: number, to: number): Element[] {
  const next = [...list];
  const [one] = next.splice(from, 1);
  if (one !== undefined) next.splice(to, 0, one);
  return next;
}
