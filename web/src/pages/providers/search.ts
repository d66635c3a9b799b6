import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery, useAddress } from '../../lib/router.js';

/** Milliseconds without typing before an upstream is searched, since its requests are limited. */
const pauseMs = { index: 160, upstream: 600 } as const;

/**
 * The words of the box and those that are searched for. `index`: the service answers by itself, as fast as one types;
 * `upstream`: the search may query the provider. The words are in the address as `q` once they are searched for.
 */
export const useWords = (asks: keyof typeof pauseMs) => {
  const { query } = useAddress();
  const words = (query.get('q') ?? '').trim();
  const [typed, setTyped] = useState(words);
  const asked = useRef(words);
  useEffect(() => {
    // Back and forward change the address without typing; what was typed on meanwhile stays.
    if (words !== asked.current) setTyped(words);
    asked.current = words;
  }, [words]);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === words) return;
    const timer = setTimeout(() => {
      asked.current = wanted;
      setQuery({ q: wanted, page: undefined }, { replace: words !== '' });
    }, pauseMs[asks]);
    return () => clearTimeout(timer);
  }, [typed]);
  return { words, typed, type: setTyped };
};
