export const named = { slug: 'eurostat', name: 'Eurostat' };

export const seriesIdPlaceholder = 'une_rt_m/M.SA.TOTAL.PC_ACT.T.EU27_2020';

/** Dimension of a cube that is not part of a key. */
export const timeDimension = 'time';
