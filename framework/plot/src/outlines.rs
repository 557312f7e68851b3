//! A chart as filled and stroked paths, of which PNG and PDF are made. Texts are the outlines of
//! their glyphs, so that no reader needs the font.

use ab_glyph::{Font as _, FontRef, OutlineCurve, Point};
use miniz_oxide::deflate::compress_to_vec_zlib;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::io;
use tiny_skia::{
    Color, FillRule, Paint, Path, PathBuilder, PathSegment, Pixmap, Stroke, Transform,
};

/// Pixels of a PNG for a pixel of the chart: at a width of 8 cm it has 457 pixels an inch.
const SCALE: f32 = 3.0;
/// Points of a page for a pixel of the chart.
const POINTS: f32 = 0.75;
/// Strength of the compression, from 0 to 10.
const LEVEL: u8 = 8;

struct Shape {
    path: Path,
    color: BackendColor,
    /// Width of the line; `None` if the path is filled.
    stroke: Option<f32>,
}

pub struct Outlines {
    pub size: (u32, u32),
    font: FontRef<'static>,
    shapes: Vec<Shape>,
}

type Done = Result<(), DrawingErrorKind<io::Error>>;

impl Outlines {
    pub fn new() -> Result<Self, ab_glyph::InvalidFont> {
        let font = FontRef::try_from_slice(dejavu::sans::regular())?;
        Ok(Self { size: (0, 0), font, shapes: Vec::new() })
    }

    fn add(&mut self, path: Option<Path>, style: &impl BackendStyle, is_filled: bool) -> Done {
        let (color, width) = (style.color(), style.stroke_width() as f32);
        if let Some(path) = path.filter(|_| color.alpha > 0.0) {
            self.shapes.push(Shape { path, color, stroke: (!is_filled).then_some(width) });
        }
        Ok(())
    }

    /// Returns the chart as PNG; `None` if it is too large.
    pub fn png(&self) -> Option<Vec<u8>> {
        let (width, height) = (self.size.0 * SCALE as u32, self.size.1 * SCALE as u32);
        let mut image = Pixmap::new(width, height)?;
        image.fill(Color::WHITE);
        let scale = Transform::from_scale(SCALE, SCALE);
        for Shape { path, color, stroke } in &self.shapes {
            let (mut paint, (red, green, blue)) = (Paint::default(), color.rgb);
            paint.set_color_rgba8(red, green, blue, (255.0 * color.alpha).round() as u8);
            match *stroke {
                None => image.fill_path(path, &paint, FillRule::Winding, scale, None),
                Some(width) => {
                    let stroke = Stroke { width, ..Stroke::default() };
                    image.stroke_path(path, &paint, &stroke, scale, None);
                }
            }
        }
        let mut rows = Vec::new();
        for row in image.data().chunks_exact(4 * width as usize) {
            rows.push(0);
            rows.extend(row.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]));
        }
        // 8 bits for each of red, green and blue.
        let format = [8, 2, 0, 0, 0];
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &format].concat();
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut file, b"IHDR", &header);
        chunk(&mut file, b"IDAT", &compress_to_vec_zlib(&rows, LEVEL));
        chunk(&mut file, b"IEND", &[]);
        Some(file)
    }

    /// Returns the chart as PDF with one page.
    pub fn pdf(&self) -> Vec<u8> {
        let [width, height] = [self.size.0, self.size.1].map(|side| POINTS * side as f32);
        // The origin of a page is its lower left corner.
        let mut drawn = format!("{POINTS} 0 0 -{POINTS} 0 {height} cm\n");
        self.shapes.iter().for_each(|shape| draw(&mut drawn, shape));
        // The opacity of a shape is named by its percents.
        let states = (0..=100).map(|percent| {
            let share = f64::from(percent) / 100.0;
            format!("/A{percent} << /ca {share} /CA {share} >> ")
        });
        let states: String = states.collect();
        let drawn = compress_to_vec_zlib(drawn.as_bytes(), LEVEL);
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".into(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".into(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R /Resources << \
                 /ExtGState << {states}>> >> >>"
            ),
            format!("<< /Length {} /Filter /FlateDecode >>\nstream", drawn.len()),
        ];
        let mut file = b"%PDF-1.4\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for (object, number) in objects.iter().zip(1..) {
            table += &format!("{:010} 00000 n \n", file.len());
            file.extend(format!("{number} 0 obj\n{object}\n").bytes());
            if number == objects.len() {
                file.extend(&drawn);
                file.extend(b"\nendstream\n");
            }
            file.extend(b"endobj\n");
        }
        let (size, start) = (objects.len() + 1, file.len());
        table += &format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
        file.extend(table.bytes());
        file
    }
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let chunk = [name, data].concat();
    file.extend(&chunk);
    file.extend(crc32fast::hash(&chunk).to_be_bytes());
}

/// Writes a shape in the language of PDF, which has no quadratic curves.
fn draw(page: &mut String, Shape { path, color, stroke }: &Shape) {
    let (red, green, blue) = color.rgb;
    let [red, green, blue] = [red, green, blue].map(|part| f64::from(part) / 255.0);
    let percent = (100.0 * color.alpha).round();
    *page += &match stroke {
        Some(width) => format!("/A{percent} gs {red} {green} {blue} RG {width} w "),
        None => format!("/A{percent} gs {red} {green} {blue} rg "),
    };
    let mut last = tiny_skia::Point::default();
    for segment in path.segments() {
        let (points, operator) = match segment {
            PathSegment::MoveTo(to) => (vec![to], "m"),
            PathSegment::LineTo(to) => (vec![to], "l"),
            PathSegment::QuadTo(control, to) => {
                let between = |from: f32, to: f32| from + (to - from) * 2.0 / 3.0;
                let [first, second] = [last, to].map(|end: tiny_skia::Point| {
                    tiny_skia::Point::from_xy(between(end.x, control.x), between(end.y, control.y))
                });
                (vec![first, second, to], "c")
            }
            PathSegment::CubicTo(first, second, to) => (vec![first, second, to], "c"),
            PathSegment::Close => (Vec::new(), "h"),
        };
        *page += &points.iter().map(|p| format!("{:.2} {:.2} ", p.x, p.y)).collect::<String>();
        *page += &format!("{operator} ");
        last = points.last().copied().unwrap_or(last);
    }
    *page += if stroke.is_some() { "S\n" } else { "f\n" };
}

fn polyline(points: impl IntoIterator<Item = BackendCoord>, is_closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (x, y) in points {
        if path.is_empty() {
            path.move_to(x as f32, y as f32);
        } else {
            path.line_to(x as f32, y as f32);
        }
    }
    if is_closed {
        path.close();
    }
    path.finish()
}

/// Adds the outline of a glyph whose points are placed by `at`.
fn add_glyph(path: &mut PathBuilder, curves: &[OutlineCurve], at: impl Fn(Point) -> (f32, f32)) {
    let mut last = None;
    for curve in curves {
        // The embedded font has no cubic curves.
        let (start, control, end) = match *curve {
            OutlineCurve::Line(start, end) | OutlineCurve::Cubic(start, _, _, end) => {
                (start, end, end)
            }
            OutlineCurve::Quad(start, control, end) => (start, control, end),
        };
        if last != Some(start) {
            let (x, y) = at(start);
            path.move_to(x, y);
        }
        last = Some(end);
        let ((control_x, control_y), (x, y)) = (at(control), at(end));
        path.quad_to(control_x, control_y, x, y);
    }
}

impl DrawingBackend for Outlines {
    type ErrorType = io::Error;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    /// Nothing of a chart is drawn pixel by pixel.
    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Done {
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S) -> Done {
        self.add(polyline([a, b], false), style, false)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        self.add(polyline(corners, true), style, fill)
    }

    fn draw_path<S, I>(&mut self, path: I, style: &S) -> Done
    where
        S: BackendStyle,
        I: IntoIterator<Item = BackendCoord>,
    {
        self.add(polyline(path, false), style, false)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        self.add(PathBuilder::from_circle(x as f32, y as f32, radius as f32), style, fill)
    }

    fn fill_polygon<S, I>(&mut self, corners: I, style: &S) -> Done
    where
        S: BackendStyle,
        I: IntoIterator<Item = BackendCoord>,
    {
        self.add(polyline(corners, true), style, true)
    }

    /// Places a text as the SVG does.
    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Done {
        let em = style.size() as f32 / 1.24;
        let unit = em / self.font.units_per_em().unwrap_or(1000.0);
        let glyphs: Vec<_> = text.chars().map(|c| self.font.glyph_id(c)).collect();
        let advance = |glyph| unit * self.font.h_advance_unscaled(glyph);
        let width: f32 = glyphs.iter().map(|&glyph| advance(glyph)).sum();
        let mut left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let base = em
            * match style.anchor().v_pos {
                VPos::Top => 0.76,
                VPos::Center => 0.27,
                VPos::Bottom => -0.27,
            };
        let mut path = PathBuilder::new();
        for glyph in glyphs {
            if let Some(outline) = self.font.outline(glyph) {
                let at = |point: Point| (left + unit * point.x, base - unit * point.y);
                add_glyph(&mut path, &outline.curves, at);
            }
            left += advance(glyph);
        }
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        let place = Transform::from_rotate(turn).post_translate(x as f32, y as f32);
        let path = path.finish().and_then(|path| path.transform(place));
        self.add(path, &style.color(), true)
    }
}
