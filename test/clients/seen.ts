/** Output of each generated client after its walk through the product. */
export const seen = {
  process: 'completed',
  columns: ['Country', 'Day', 'GDP'],
  filtered: [{ Country: 'France', Day: '2024-01-01', GDP: 1.5 }],
  matching: '2',
  whole:
    '"Country","Day","GDP"\r\n"France","2024-01-01",1.5\r\n"Spain","2024-01-02",2.25\r\n"France","2024-01-03",\r\n',
  queried: 200,
};
