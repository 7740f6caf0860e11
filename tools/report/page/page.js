/* Sorting of tables by a click on a head, and charts that can be zoomed. The page is complete without it. */
(function () {
  "use strict";
  document.querySelectorAll("table").forEach(function (table) {
    var body = table.tBodies[0];
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      if (head.textContent === "time" && !head.classList.contains("n")) return;
      head.classList.add("sorts");
      head.addEventListener("click", function () {
        var down = head.dataset.order !== "down";
        var rows = Array.prototype.map.call(body.rows, function (row) { return row; });
        head.dataset.order = down ? "down" : "up";
        rows.sort(function (a, b) {
          var x = a.cells[column], y = b.cells[column];
          var order = x.dataset.v !== undefined ? Number(x.dataset.v) - Number(y.dataset.v)
                                                : x.textContent.localeCompare(y.textContent);
          return down ? -order : order;
        });
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  });
  if (typeof uPlot === "undefined") return;
  function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function axis(more) {
    return Object.assign({ stroke: color("--fg"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 } }, more);
  }
  /* A time series: [times in us, means, largest]. */
  function ofSeries(chart, data) {
    var isOne = data[1].every(function (value, i) { return value === data[2][i]; });
    var last = data[0][data[0].length - 1], unit = last > 2e7 ? ["s", 1e6] : last > 2e4 ? ["ms", 1e3] : ["µs", 1];
    var times = data[0].map(function (t) { return t / unit[1]; }), label = chart.dataset.label;
    return {
      data: isOne ? [times, data[2]] : [times, data[1], data[2]],
      options: {
        height: 240, scales: { x: { time: false }, y: { range: function (u, low, high) { return [0, high > 0 ? high * 1.05 : 1]; } } },
        axes: [axis({ label: "time (" + unit[0] + ")" }), axis({ label: label, size: 70 })],
        series: isOne ? [{ label: unit[0] }, { label: label, stroke: color("--exposed"), width: 1.5 }]
                      : [{ label: unit[0] }, { label: "mean", stroke: color("--accent"), width: 1 }, { label: "largest", stroke: color("--exposed"), width: 1.5 }]
      }
    };
  }
  function bytes(value) {
    var power = Math.max(0, Math.min(5, Math.floor(Math.log2(value) / 10 + 1e-9)));
    return Number((value / Math.pow(1024, power)).toPrecision(4)) + " " + ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power];
  }
  /* A word in lines of as many letters, cut behind commas where that is possible. */
  function lines(word, letters) {
    var all = [], line = "";
    word.split(/(?<=,)/).forEach(function (part) {
      if (line && line.length + part.length > letters) { all.push(line); line = ""; }
      for (line += part; line.length > letters; line = line.slice(letters)) all.push(line.slice(0, letters));
    });
    return all.concat(line || []);
  }
  /* A chart of tools/chart.c: lines over numbers, bars over words. */
  function ofChart(chart, about) {
    var words = about.words, n = about.series.length, isBars = words.length > 0, colors = 0;
    var low = about.x[2] ? Math.pow(10, about.x[0]) : about.x[0], high = about.x[2] ? Math.pow(10, about.x[1]) : about.x[1];
    var bottom = about.y[2] ? Math.pow(10, about.y[0]) : about.y[0], top = about.y[2] ? Math.pow(10, about.y[1]) : about.y[1];
    var span = isBars ? 0 : about.x[2] ? Math.pow(high / low, 0.03) : (high - low) * 0.03;
    function at(point, s) { return isBars ? point[0] + (s - (n - 1) / 2) * 0.8 / n : point[0]; }
    var ends = about.x[2] ? [low / span, high * span] : [low - span, high + span], places = new Set();
    about.series.forEach(function (one, s) { one.points.forEach(function (point) { places.add(at(point, s)); }); });
    var xs = Array.from(places).sort(function (a, b) { return a - b; });
    xs = [ends[0]].concat(xs, ends[1]);
    var columns = about.series.map(function (one, s) {
      var values = new Map();
      one.points.forEach(function (point) { values.set(at(point, s), point[1]); });
      /* undefined at the ends: no bar there, whose distance would count */
      return xs.map(function (x, i) { return values.has(x) ? values.get(x) : i && i < xs.length - 1 ? null : undefined; });
    });
    var series = about.series.map(function (one) {
      var number = one.rings ? Math.max(0, colors - 1) : colors++, stroke = color("--s" + number % 8);
      return {
        label: one.rings ? "measured" : one.name || about.up.split(";")[0], stroke: stroke, fill: isBars ? stroke : undefined, width: isBars ? 0 : 2, spanGaps: true,
        dash: [[], [6, 4], [2, 3]][Math.floor(number / 8) % 3], paths: one.rings ? function () { return null; } : isBars ? uPlot.paths.bars({ size: [0.94, 70] }) : undefined,
        points: { show: !isBars, size: one.rings ? 8 : 6, fill: one.rings ? color("--card") : stroke },
        value: function (u, value) { return value == null ? "--" : Number(value.toPrecision(6)); }
      };
    });
    function wide() { return Math.max(3, Math.floor((chart.clientWidth - 100) / words.length / 7.5)); }
    function below() { return Math.max.apply(null, words.map(function (word) { return lines(word, wide()).length; })); }
    /* From the least to the most of each point, and the values of wide bars. */
    function over(u) {
      var ratio = devicePixelRatio, draw = u.ctx;
      draw.save();
      draw.lineWidth = ratio;
      draw.textAlign = "center";
      draw.textBaseline = "bottom";
      draw.font = 12 * ratio + "px sans-serif";
      about.series.forEach(function (one, s) {
        if (!u.series[s + 1].show) return;
        one.points.forEach(function (point) {
          var x = u.valToPos(at(point, s), "x", true), a = u.valToPos(point[2], "y", true), b = u.valToPos(point[3], "y", true);
          if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
          draw.strokeStyle = isBars ? color("--fg") : series[s].stroke;
          draw.fillStyle = color("--fg");
          if (point[2] < point[3]) {
            draw.beginPath();
            draw.moveTo(x, a); draw.lineTo(x, b);
            [a, b].forEach(function (y) { draw.moveTo(x - 4 * ratio, y); draw.lineTo(x + 4 * ratio, y); });
            draw.stroke();
          }
          if (isBars && u.bbox.width / words.length * 0.8 / n > 34 * ratio)
            draw.fillText(Number(point[1].toPrecision(3)), x, Math.min(point[2] < point[3] ? b : 1e9, u.valToPos(point[1], "y", true)) - 2 * ratio);
        });
      });
      draw.restore();
    }
    var across = { label: about.across };
    if (isBars) {
      across.splits = function () { return words.map(function (word, i) { return i; }); };
      across.values = function () { return words.map(function (word) { return lines(word, wide()).join("\n"); }); };
      across.size = function () { return 24 + 18 * below(); };
      across.grid = { show: false };
    } else if (about.bytes && about.x[2]) {
      across.splits = function (u, i, from, to) {
        var first = Math.ceil(Math.log2(from) - 1e-9), last = Math.floor(Math.log2(to) + 1e-9);
        var step = Math.max(1, Math.ceil((last - first) / Math.max(2, chart.clientWidth / 90))), all = [];
        for (var power = first; power <= last; power += step) all.push(Math.pow(2, power));
        return all;
      };
      across.filter = function (u, splits) { return splits; };
      across.values = function (u, splits) { return splits.map(bytes); };
    }
    return {
      data: [xs].concat(columns),
      options: {
        height: isBars ? 340 + 18 * below() : 380, title: about.up,
        scales: { x: { time: false, distr: about.x[2] ? 3 : 1, log: about.bytes ? 2 : 10 }, y: { distr: about.y[2] ? 3 : 1, range: function () { return [bottom, top]; } } },
        axes: [axis(across), axis({ size: 64 })],
        series: [{ label: about.across, value: function (u, x) {
          return x == null ? "--" : isBars ? words[Math.min(words.length - 1, Math.max(0, Math.round(x)))] : about.bytes ? bytes(x) : Number(x.toPrecision(6));
        } }].concat(series),
        hooks: { draw: [over] }
      }
    };
  }
  document.querySelectorAll(".chart").forEach(function (chart) {
    var data = JSON.parse(chart.querySelector(".numbers").textContent), picture = chart.querySelector("svg"), plot = null;
    picture.style.display = "none";
    function draw() {
      var what = Array.isArray(data) ? ofSeries(chart, data) : ofChart(chart, data);
      if (plot) plot.destroy();
      what.options.width = chart.clientWidth - 16;
      plot = new uPlot(what.options, what.data, chart);
    }
    var fold = chart.closest("details");
    if (fold && !fold.open) fold.addEventListener("toggle", function () { if (!plot) draw(); }); else draw();
    window.addEventListener("resize", function () { if (plot) draw(); });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { if (plot) draw(); });
  });
})();
